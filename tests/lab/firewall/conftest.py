"""Two hosts, Debian 12 and 13, and a project whose checklist is the firewall alone."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hostmuster.lab.lab import Lab
from tests.lab.fleet_on_lab import Finished, FleetOnLab, machines_of
from tests.lab.pair import HOSTS, NEW, OLD, two_hosts

V6 = {OLD: 11, NEW: 12}
POLICY: Mapping[str, Any] = {
    "allow": [
        {"name": "web", "ports": [8080], "from": ["anywhere"]},
        {"name": "workers", "ports": [8082], "from": ["worker"]},
    ],
    "published": [{"name": "shop", "ports": [8090], "from": ["anywhere"]}],
}
OPEN, CLOSED, FOR_WORKERS = 8080, 8081, 8082
_KNOCK = "curl -s -o /dev/null --connect-timeout 1 -m 2 -w '%{time_connect}' "


@dataclass
class Walled:
    """The project and its lab. `policy`: the item's settings, written into the fleet file by each command."""

    project: FleetOnLab
    lab: Lab
    policy: Mapping[str, Any]
    expected: dict[str, list[str]] = field(default_factory=dict)

    def run(self, *words: str) -> Finished:
        """A command with the settings as they are now; its document."""
        self.project.settings = {"firewall": dict(self.policy)}
        self.project.declare(machines_of(self.lab))
        return self.project.run(*words)

    def apply(self) -> Finished:
        """An apply that must succeed."""
        done = self.run("apply")
        assert done.exit == 0, done.errors
        return done

    def on(self, host: str, command: str, timeout_s: float = 120) -> str:
        """What root's shell on the host says; it must succeed."""
        done = self.lab.run(host, command, timeout_s=timeout_s)
        assert done.ok, f"{host}: {command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def reaches(self, host: str, other: str, port: int) -> tuple[bool, bool]:
        """Whether a TCP connection from one to the other comes about, over IPv4 and over IPv6."""
        places = (self.lab.hosts[other].machine.address, f"[{self.lab.subnet.v6_at(V6[other])}]")
        four, six = (float(self.lab.run(host, f"{_KNOCK}http://{at}:{port}/").stdout) > 0 for at in places)
        return four, six

    def rules(self, host: str) -> str:
        """Both families' filter tables without counters and times."""
        saved = self.on(host, "iptables-save -t filter; ip6tables-save -t filter")
        lines = [line.partition(" [")[0] for line in saved.splitlines() if not line.startswith("#")]
        return "\n".join(lines)

    def chains(self, host: str) -> list[str]:
        """Our rules and the jumps to them."""
        return [line for line in self.rules(host).splitlines() if "-A" in line and "HOSTMUSTER" in line]

    def foreign(self, host: str) -> str:
        """All of them that are not ours."""
        return "\n".join(line for line in self.rules(host).splitlines() if "HOSTMUSTER" not in line)

    def wait_until(self, host: str, command: str, seconds: float = 30) -> None:
        """Until a command succeeds on the host."""
        ends = time.monotonic() + seconds
        while not self.lab.run(host, command).ok:
            assert time.monotonic() < ends, f"{command} on {host} does not come true"
            time.sleep(0.2)


def project_of(folder: Path, name: str) -> FleetOnLab:
    """A project whose checklist is the firewall alone."""
    project = FleetOnLab(folder, name)
    project.own_checklist("firewall")
    return project


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walled]:
    """The hosts, with somebody listening on every port that tests ask for, and chains of others."""
    project = project_of(tmp_path_factory.mktemp("firewall") / "project", f"test-{os.getpid()}-firewall")
    with Lab.up(two_hosts, name=project.name, known_hosts=project.known_hosts) as lab:
        fleet = Walled(project, lab, POLICY)
        project.extra = {"confirm_s": 6}
        project.declare(machines_of(lab))
        assert project.hostmuster("secrets.init").exit == 0
        done = fleet.run("bootstrap")
        assert done.exit == 0, done.errors
        for host in HOSTS:
            listen(fleet, host)
        fleet.apply()
        fleet.expected = {host: fleet.chains(host) for host in HOSTS}
        yield fleet


def listen(fleet: Walled, host: str) -> None:
    """Somebody answers on all three ports, in both families."""
    for port in (OPEN, CLOSED, FOR_WORKERS):
        fleet.on(host, f"systemd-run -q --unit=ear-{port} systemd-socket-activate --accept -l [::]:{port} cat")
    fleet.wait_until(host, f"ss -Hltn | grep -q :{FOR_WORKERS}")


@pytest.fixture
def walled(built: Walled) -> Walled:
    """As declared, whatever the last test left."""
    built.policy, built.project.host_settings = POLICY, {}
    built.project.extra = {"confirm_s": 6}
    for host in HOSTS:
        built.lab.start(host)
        if not built.lab.run(host, f"ss -Hltn | grep -q :{FOR_WORKERS}").ok:
            listen(built, host)
    if any(built.chains(host) != chains for host, chains in built.expected.items()):
        built.apply()
    return built
