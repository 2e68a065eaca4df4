"""A project whose hosts plain pyinfra brings to a small checklist, on a lab of two hosts."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from hostmuster.lab.lab import Lab
from tests.lab.fleet_on_lab import REPOSITORY, FleetOnLab, machines_of, roles_used

PYINFRA = Path(sys.executable).with_name("pyinfra")
BODY = "MARKER-body-4711"
SERVER, WORKER = "server-1", "worker-1"
ITEMS = (
    "Who logs in is greeted.",
    "Workers sleep.",
    "A change that could lock us out is confirmed over a new connection.",
    "A file that is looked at and left alone.",
    "Nobody but root logs in any more: a mistake, made only where the fleet file says so.",
)
OWED = "Restarts owed"
LEASE = "/run/hostmuster.lease"


@dataclass(frozen=True)
class Ran:
    """A pyinfra process that ended. `output` is all that it wrote, both streams."""

    exit: int
    output: str

    def of_host(self, host: str) -> list[str]:
        """What it said of one host, in order."""
        return [line.split("]", 1)[1].strip() for line in self.output.splitlines() if f"[{host}]" in line]

    def results(self) -> dict[str, tuple[str, ...]]:
        """Operation to its counts: hosts, success, error, no change."""
        lines = self.output.partition("--> Results:")[2].splitlines()
        rows = [line.rsplit(maxsplit=4) for line in lines]
        return {row[0].strip(): tuple(row[1:]) for row in rows if len(row) == 5 and row[4] != "Change"}


class PlainPyinfra:
    """The project of a fleet on a lab, and the real pyinfra command run in it."""

    def __init__(self, fleet: FleetOnLab, lab: Lab) -> None:
        self.fleet = fleet
        self.lab = lab
        shutil.copy(REPOSITORY / "inventory" / "lab.py", self.inventory)

    @property
    def inventory(self) -> Path:
        """The project's inventory file for pyinfra."""
        return self.fleet.folder / "inventory" / f"{self.fleet.name}.py"

    def own_checklist(self) -> None:
        """The tests' small checklist in place of the repository's; its item `watched` is only observed."""
        deploys = self.fleet.folder / "deploys"
        deploys.unlink()
        shutil.copytree(Path(__file__).with_name("deploys"), deploys)
        shutil.copy(REPOSITORY / "deploys" / "site.py", deploys / "site.py")
        self.fleet.extra = {"observe": ["watched"], "confirm_s": 5}
        self.declare()

    def declare(self, **settings: dict[str, Any]) -> None:
        """Writes the fleet file, with these settings of items."""
        self.fleet.settings = settings
        self.fleet.declare(machines_of(self.lab))

    def declare_as_the_repository_does(self) -> None:
        """Writes the fleet file with the settings and roles of the repository's own lab, its addresses made ours.

        Without an engine, its containers and tasks that run in some: they take longer to install than all the rest.
        """
        text = (REPOSITORY / "inventory" / "lab.yml").read_text()
        own = yaml.safe_load(text.replace("10.213.0.", self.lab.subnet.bridge.removesuffix("1")))
        for line in ("images", "containers", "units"):
            del own["roles"]["worker"]["settings"][line]
        self.fleet.extra = {"roles": roles_used(own["roles"], machines_of(self.lab))}
        self.declare(**own["settings"])

    def command(self, *words: str) -> list[str]:
        """The command line: `words` stand after the deploy file."""
        return [str(PYINFRA), str(self.inventory.relative_to(self.fleet.folder)), "deploys/site.py", *words]

    def run(self, *words: str) -> Ran:
        """Runs deploys/site.py."""
        return self.execute(self.command(*words))

    def execute(self, command: Sequence[str], **environment: str) -> Ran:
        """Runs a command in the project, as an operator does who presses enter wherever pyinfra asks."""
        done = subprocess.run(
            command,
            cwd=self.fleet.folder,
            env={**self.fleet.environment, **environment},
            input="\n" * 9,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        return Ran(done.returncode, done.stdout)

    def undo(self) -> None:
        """Both hosts differ in every item again, and nobody has a lease of them."""
        files = "/etc/trust /etc/watched /etc/nologin /etc/sleeper.env /etc/systemd/system/sleeper.service"
        stop = "systemctl disable --now sleeper 2>/dev/null"
        for name in (SERVER, WORKER):
            self.on(name, f"{stop}; rm -f {LEASE} {files}; echo hello >/etc/motd; systemctl daemon-reload")

    def on(self, host: str, command: str) -> str:
        """What a root shell on the host prints."""
        done = self.lab.run(host, command)
        assert done.ok, done
        return done.stdout

    def state(self, host: str) -> dict[str, Any]:
        """The host's host.json."""
        state = json.loads(self.on(host, "cat /var/lib/hostmuster/host.json"))
        assert isinstance(state, dict)
        return state

    def alter(self, host: str, **fields: object) -> None:
        """Writes fields of the host's host.json."""
        body = json.dumps(self.state(host) | fields, separators=(",", ":"))
        self.on(host, f"printf '%s\\n' '{body}' >/var/lib/hostmuster/host.json")

    def files(self, host: str) -> set[str]:
        """Every file that a run could have touched: names, modes, times, and contents as digests."""
        roots = "etc root usr/local var/lib/hostmuster"
        what = "-printf '%p %m %U %G %T@ %C@ %i\\n' -type f -exec sha256sum {} +"
        # The first reading of a directory lets the lab's overlay filesystem note something on it, which is a change.
        return set(self.on(host, f"cd / && find {roots} >/dev/null && find {roots} {what}").splitlines())
