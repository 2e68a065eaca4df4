"""A lab for the tests: real hosts, brought up once for a pytest process and taken away at its end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from hostmuster.lab import wreck
from hostmuster.lab.folder import all_labs
from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from hostmuster.project import Project

ONE, TWO, NEW = "server-1", "worker-1", "worker-2"  # NEW runs Debian 13

FleetFile = Callable[[Lab], Path]


def three_hosts(net: Subnet) -> list[Machine]:
    """Two hosts of Debian 12 and one of Debian 13."""
    return [
        Machine(ONE, net.at(11), 12, ("server",)),
        Machine(TWO, net.at(12), 12, ("worker",)),
        Machine(NEW, net.at(13), 13, ("worker",)),
    ]


@pytest.fixture(scope="session", autouse=True)
def _no_labs_of_dead_tests() -> None:
    """Take away what a killed test run left behind."""
    for name in all_labs():
        owner = name.removeprefix("test-").partition("-")[0]
        if name.startswith("test-") and owner.isdigit() and not Path("/proc", owner).exists():
            wreck.clear(name)


@pytest.fixture(scope="session")
def lab_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project of its own, whose one fleet is the tests' lab (see `session_lab`)."""
    root = tmp_path_factory.mktemp("project")
    (root / "inventory" / "known_hosts").mkdir(parents=True)
    return Project(root)


@pytest.fixture(scope="session")
def session_lab(lab_project: Project) -> Iterator[Lab]:
    """The lab of this pytest process; the hosts are as the last test left them. Tests take `lab` or `fresh_lab`."""
    name = f"test-{os.getpid()}"
    try:
        lab = Lab.up(three_hosts, name=name, known_hosts=lab_project.known_hosts(name))
        write_fleet(lab_project, lab)
        yield lab
    finally:
        wreck.clear(name)


def write_fleet(project: Project, lab: Lab) -> None:
    """inventory/NAME.yml with the lab's hosts, no settings: for tests that run the product on them."""
    machines = [host.machine for host in lab.hosts.values()]
    document = {
        "fleet": lab.name,
        "lab": True,
        "settings": {},
        "roles": {role: {} for machine in machines for role in machine.roles},
        "hosts": {m.name: {"address": m.address, "debian": m.debian, "roles": [*m.roles]} for m in machines},
    }
    project.fleet_file(lab.name).write_text(yaml.safe_dump(document, sort_keys=False))


@pytest.fixture
def lab(session_lab: Lab) -> Lab:
    """Hosts that all run and reach each other; what earlier tests did on their disks may still be there."""
    for name in session_lab.hosts:
        session_lab.heal(name)
        session_lab.start(name)
    return session_lab


@pytest.fixture
def fresh_lab(session_lab: Lab) -> Lab:
    """Bare hosts: new disks, machine ids and host keys (about two seconds)."""
    session_lab.reset()
    return session_lab
