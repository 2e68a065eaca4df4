"""One lab for the drills of this folder."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hostmuster.lab.lab import Lab
from tests.drills.drilling.drilled import Drilled, three_hosts
from tests.lab.fleet_on_lab import FleetOnLab


@pytest.fixture(scope="package")
def drilled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drilled]:
    """A fleet on which all holds; every test leaves it so."""
    name = f"test-{os.getpid()}-drilled"
    fleet = FleetOnLab(tmp_path_factory.mktemp("drilled") / "project", name)
    with Lab.up(three_hosts, name=name, known_hosts=fleet.known_hosts, disk_bytes=2 << 30) as lab:
        here = Drilled(fleet, lab)
        here.made()
        yield here
