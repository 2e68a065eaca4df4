"""Two hosts, a database that they share, and rows in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.drills.fernet.interrupted import Interrupted
from tests.lab.backends.backends import BackendsFleet, two_hosts
from tests.lab.own_lab import own_lab


@pytest.fixture(scope="package")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Interrupted]:
    """Once for all drills."""
    with own_lab(tmp_path_factory, "fernet", two_hosts, BackendsFleet, 2 << 30) as (fleet, lab):
        here = Interrupted(fleet, lab)
        here.filled()
        yield here


@pytest.fixture
def encrypted(built: Interrupted) -> Interrupted:
    """Both hosts on, and no migration open, whatever the last drill left."""
    return built.settled()
