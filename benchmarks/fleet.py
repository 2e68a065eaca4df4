"""The lab that everything is measured on, and a project of its own that declares it."""

from __future__ import annotations

import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

from benchmarks.run import Process, run
from hostmuster.engine.job import Job
from hostmuster.errors import HostmusterError
from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from hostmuster.project import Project
from hostmuster.secrets.recipients import Identities
from hostmuster.secrets.store import Store

ITEMS = Path(__file__).parent / "items"
USER = "hostmuster"

# Everything that an apply makes, hostmuster's own state too: what is first after it is a first apply again.
CLEAR = (
    "systemctl disable --now --quiet bench-{1,2,3,4,5}.service 2>/dev/null; "
    "rm -rf /etc/bench /etc/systemd/system/bench-* /var/lib/hostmuster; systemctl daemon-reload; sync"
)
# What a tool has made: contents, modes, owners, and how the units stand.
LOOK = (
    "cd / && find etc/bench etc/systemd/system/bench-* | sort | xargs stat --printf '%n %F %a %U:%G\\n' && "
    "find etc/bench etc/systemd/system/bench-* -type f | sort | xargs sha256sum && "
    "systemctl show -p Id,ActiveState,UnitFileState,NeedDaemonReload bench-{1,2,3,4,5}.service"
)
INSTALL_PYTHON = "apt-get -q update && apt-get -q -y install --no-install-recommends python3"


class BenchFleet:
    """`folder` becomes the project; the lab and the fleet are both named `name`. It starts without a host."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name
        self.known_hosts = folder / "inventory" / "known_hosts" / name
        self.known_hosts.parent.mkdir(parents=True)
        self.hosts: dict[str, str] = {}
        for part in ("deploys", "templates"):
            (folder / part).symlink_to(ITEMS / part)

    @property
    def project(self) -> Project:
        """The project as the engine sees it."""
        return Project(self.folder)

    @property
    def key_file(self) -> Path:
        """The automation user's private key, for the tools that want it as a file."""
        return self.folder / "automation-key"

    def hostmuster(self, *words: str) -> Process:
        """A hostmuster command, as an operator types it; in a home of its own."""
        program = str(Path(sys.executable).with_name("hostmuster"))
        return Process((program, *words, "--fleet", self.name), self.folder, environment={"HOME": str(self.folder)})

    def grow(self, count: int) -> None:
        """Makes the lab have `count` hosts, each bootstrapped and without any of the items."""
        lab = Lab.up(lambda net: _machines(net, count), name=self.name, known_hosts=self.known_hosts)
        self.hosts = {name: host.machine.address for name, host in lab.hosts.items()}
        self._declare()
        if not self.key_file.exists():
            run([self.hostmuster("secrets.init")])
            self._write_key()
        run([self.hostmuster("bootstrap")])
        self.clear()

    def install_python(self) -> None:
        """What Ansible needs on a host."""
        self.everywhere(f"command -v python3 >/dev/null || {{ {INSTALL_PYTHON}; }}")

    def clear(self) -> None:
        """Takes away what an apply made, on every host; and what our linters remember of these very files."""
        self.everywhere(CLEAR)
        shutil.rmtree(self.folder / ".cache", ignore_errors=True)

    def look(self) -> dict[str, str]:
        """What the items' files and units are like, by host."""
        return self.everywhere(LOOK)

    def everywhere(self, command: str) -> dict[str, str]:
        """A shell command as root on every host, past SSH; the outputs. Raises HostmusterError where it fails."""
        lab = Lab.open(self.name)

        def one(name: str) -> str:
            done = lab.run(name, command, timeout_s=600)
            if not done.ok:
                raise HostmusterError(f"exited {done.status}: {done.stderr.strip()}", where=name)
            return done.stdout

        with ThreadPoolExecutor(8) as pool:
            return dict(zip(self.hosts, pool.map(one, self.hosts), strict=True))

    def job(self) -> Job:
        """The job that hostmuster's engine gets for a check."""
        return Job(command="check", project=self.folder, fleet=self.name, holder="benchmark")

    def store(self) -> Store:
        """The project's store, opened as its operator would."""
        path = self.folder / "secrets" / f"{self.name}.yml"
        return Store.read(path, Identities.of_operator({}, self.folder))

    def _declare(self) -> None:
        hosts = {name: {"address": address, "debian": 12, "roles": ["bench"]} for name, address in self.hosts.items()}
        body = {"fleet": self.name, "lab": True, "user": USER, "settings": {}, "roles": {"bench": {}}, "hosts": hosts}
        self.project.fleet_file(self.name).write_text(yaml.safe_dump(body, sort_keys=False))

    def _write_key(self) -> None:
        self.key_file.touch(mode=0o600)
        self.key_file.write_bytes(self.store().value("automation-key").reveal())


def _machines(net: Subnet, count: int) -> list[Machine]:
    return [Machine(f"bench-{number:03d}", net.at(10 + number)) for number in range(1, count + 1)]


def execs(document: str) -> int:
    """The most execs that a run's document says any host took."""
    counted: dict[str, int] = json.loads(document)["execs"]
    return max(counted.values())
