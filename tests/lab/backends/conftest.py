"""One lab of backends that serve."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.backends.backends import Backends, BackendsFleet, two_hosts
from tests.lab.own_lab import own_lab


@pytest.fixture(scope="package")
def backends(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backends]:
    """Two hosts with one ring."""
    with own_lab(tmp_path_factory, "backends", two_hosts, BackendsFleet, 1 << 30) as (fleet, lab):
        here = Backends(fleet, lab)
        here.made()
        yield here
