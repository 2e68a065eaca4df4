"""One lab for the drills of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.drills.drilling.drilled import Drilled, three_hosts
from tests.lab.fleet_on_lab import FleetOnLab
from tests.lab.own_lab import own_lab


@pytest.fixture(scope="package")
def drilled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drilled]:
    """A fleet on which all holds; every test leaves it so."""
    with own_lab(tmp_path_factory, "drilled", three_hosts, FleetOnLab, 2 << 30) as (fleet, lab):
        here = Drilled(fleet, lab)
        here.made()
        yield here
