"""Two hosts for the tests of plain pyinfra."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from tests.lab.fleet_on_lab import FleetOnLab
from tests.lab.plain_pyinfra.project import SERVER, WORKER, PlainPyinfra


@pytest.fixture(scope="package")
def bootstrapped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlainPyinfra]:
    """Two hosts that know the automation user, in a project with the small checklist."""
    fleet = FleetOnLab(tmp_path_factory.mktemp("plain"), f"test-{os.getpid()}-plain")
    hosts = lambda net: [Machine(SERVER, net.at(11), 12, ("server",)), Machine(WORKER, net.at(12), 13, ("worker",))]  # noqa: E731
    with Lab.up(hosts, name=fleet.name, known_hosts=fleet.known_hosts) as lab:
        plain = PlainPyinfra(fleet, lab)
        plain.own_checklist()
        assert fleet.hostmuster("secrets.init").exit == 0
        assert fleet.run("bootstrap").exit == 0
        yield plain


@pytest.fixture
def plain(bootstrapped: PlainPyinfra) -> PlainPyinfra:
    """The same, with every item to be done."""
    bootstrapped.declare()
    bootstrapped.undo()
    return bootstrapped
