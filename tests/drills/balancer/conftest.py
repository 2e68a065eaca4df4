"""Two servers, one of each Debian, behind two ingress hosts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from tests.lab.balancer.conftest import ingress
from tests.lab.balancer.ingress import Ingress
from tests.lab.balancer.ingress_fleet import INGRESS, OTHER, IngressFleet, hosts
from tests.lab.own_lab import own_lab

__all__ = ["ingress", "made"]


@pytest.fixture(scope="package")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ingress]:
    """Brought up once."""
    four = partial(hosts, front=(INGRESS, OTHER))
    with own_lab(tmp_path_factory, "balanced", four, IngressFleet, 1 << 30) as (fleet, lab):
        here = Ingress(fleet, lab)
        here.made()
        yield here
