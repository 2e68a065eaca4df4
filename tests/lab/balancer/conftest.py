"""Two servers, one of each Debian, behind one ingress host."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.balancer.ingress import Ingress
from tests.lab.balancer.ingress_fleet import IngressFleet, hosts
from tests.lab.own_lab import own_lab


@pytest.fixture(scope="package")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ingress]:
    """Brought up once."""
    with own_lab(tmp_path_factory, "balancer", hosts, IngressFleet, 1 << 30) as (fleet, lab):
        ingress = Ingress(fleet, lab)
        ingress.made()
        yield ingress


@pytest.fixture
def ingress(made: Ingress) -> Ingress:
    """Every host is on, and every server ready."""
    made.settled()
    return made
