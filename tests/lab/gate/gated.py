"""Hosts that trust each other, with a service that reads secrets behind the start gate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.failures.trial import Stoppable, Trial
from tests.lab.fleet_on_lab import Finished, machines_of
from tests.lab.secrets.sharers import UNIT, SharersFleet
from tests.waiting import await_that

CHECKLIST = (
    '"""Trust between hosts, secrets and their readers."""\n\n'
    "from deploys.items import access, secrets, units\n\nCHECKLIST = (access, secrets, units)\n"
)
BY_ITSELF_S = 90
"""What waits starts within so many seconds once it may; four on a quiet machine."""
TOKEN = f"tr '\\0' '\\n' </proc/$(systemctl show -p MainPID --value {UNIT})/environ | sed -n 's/^API_TOKEN=//p'"


class GatedFleet(SharersFleet):
    """With the item access: hosts ask each other as the service user."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, name)
        (folder / "deploys" / "checklist.py").write_text(CHECKLIST)


class BehindGate(Stoppable):
    """Hosts that serve once their start gate is open."""

    unit = UNIT

    def serves(self, host: str) -> bool:
        """Whether its service runs."""
        return self.lab.run(host, f"systemctl is-active -q {self.unit}").ok

    def number(self, host: str) -> int:
        """Of the generation that its next start takes."""
        return int(self.on(host, "head -n 1 /var/lib/hostmuster/current/identity").split()[0])

    def why(self, host: str) -> str:
        """What its start gate says."""
        return self.on(host, "/etc/hostmuster/gate/gate tell")

    def waits(self, host: str, why: str) -> None:
        """Its service comes to wait for this reason, and does not run."""
        await_that(lambda: why in self.why(host), BY_ITSELF_S, f"{host} waits: {why}")
        assert not self.serves(host)

    def comes_by_itself(self, *hosts: str) -> None:
        """Nobody does anything, and they serve."""
        for host in hosts:
            await_that(lambda host=host: self.serves(host), BY_ITSELF_S, f"{host} serves")  # type: ignore[misc]

    def back(self, host: str) -> None:
        """Its power is back, and it has booted."""
        self.lab.start(host, wait=False)
        self.lab.host(host).await_boot()


class Gated(BehindGate, Trial):
    """The fleet under trial."""

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(self.lab.hosts)

    def settled(self) -> Gated:
        """All on and serving, as the store says."""
        for host in self.hosts:
            self.lab.start(host)
            self.lab.heal(host)
        self.go_on(self.hosts)
        for command in ("secrets.rollout", "apply"):
            done = self.fleet.run(command)
            assert done.exit == 0, done.errors
        return self

    def set(self, value: str) -> None:
        """Another token into the store."""
        assert self.fleet.hostmuster("secrets.set", "api-token", stdin=value).exit == 0

    def token(self, host: str) -> str:
        """What its service runs with, by its process."""
        return self.on(host, TOKEN)

    def listed(self) -> Finished:
        """What secrets.list says."""
        return self.fleet.run("secrets.list")


@contextmanager
def gated_lab(folder: Path, name: str, machines: Callable[[Subnet], list[Machine]]) -> Iterator[Gated]:
    """A generation on all, and services that run with it."""
    fleet = GatedFleet(folder, name)
    with Lab.up(machines, name=name, known_hosts=fleet.known_hosts, disk_bytes=1 << 30) as lab:
        gated = Gated(fleet, lab)
        fleet.declare(machines_of(lab))
        for words in (("secrets.init",), ("secrets.set", "signing", "--kind", "rsa-signing-ring", "--generate")):
            done = fleet.hostmuster(*words)
            assert done.exit == 0, done.errors
        gated.set("token-of-the-first-day")
        done = fleet.hostmuster("bootstrap")
        assert done.exit == 0, done.errors
        yield gated.settled()
