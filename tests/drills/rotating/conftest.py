"""Four backends that sign with one ring."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hostmuster.lab.lab import Lab
from tests.drills.rotating.signers import Signers, SignersFleet, four_hosts


@pytest.fixture(scope="package")
def signers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Signers]:
    """Once for all drills; each leaves it with one key that signs everywhere."""
    name = f"test-{os.getpid()}-signers"
    fleet = SignersFleet(tmp_path_factory.mktemp("signers") / "project", name)
    with Lab.up(four_hosts, name=name, known_hosts=fleet.known_hosts, disk_bytes=1 << 30) as lab:
        here = Signers(fleet, lab)
        here.made()
        yield here
