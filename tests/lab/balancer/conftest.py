"""Two servers, one of each Debian, behind one ingress host."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.balancer.ingress import INGRESS, ONE, TWO, Ingress, IngressFleet


def three_hosts(net: Subnet) -> list[Machine]:
    """The servers and what is in front of them."""
    servers = [Machine(name, net.at(11 + at), 12 + at, ("server",)) for at, name in enumerate((ONE, TWO))]
    return [*servers, Machine(INGRESS, net.at(15), 12, ("ingress",))]


@pytest.fixture(scope="package")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ingress]:
    """Brought up once."""
    name = f"test-{os.getpid()}-balancer"
    fleet = IngressFleet(tmp_path_factory.mktemp("balancer") / "project", name)
    with Lab.up(three_hosts, name=name, known_hosts=fleet.known_hosts, disk_bytes=1 << 30) as lab:
        ingress = Ingress(fleet, lab)
        ingress.made()
        yield ingress


@pytest.fixture
def ingress(made: Ingress) -> Ingress:
    """Every server is ready."""
    made.settled()
    return made
