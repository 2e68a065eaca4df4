"""Two hosts, a database that they share, and rows in it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hostmuster.lab.lab import Lab
from tests.drills.fernet.interrupted import Interrupted
from tests.lab.backends.backends import BackendsFleet, two_hosts


@pytest.fixture(scope="package")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Interrupted]:
    """Once for all drills."""
    name = f"test-{os.getpid()}-fernet"
    fleet = BackendsFleet(tmp_path_factory.mktemp("fernet") / "project", name)
    with Lab.up(two_hosts, name=name, known_hosts=fleet.known_hosts, disk_bytes=2 << 30) as lab:
        here = Interrupted(fleet, lab)
        here.filled()
        yield here


@pytest.fixture
def encrypted(built: Interrupted) -> Interrupted:
    """Both hosts on, and no migration open, whatever the last drill left."""
    return built.settled()
