"""One lab of backends that serve."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hostmuster.lab.lab import Lab
from tests.lab.backends.backends import Backends, BackendsFleet, two_hosts


@pytest.fixture(scope="package")
def backends(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backends]:
    """Two hosts with one ring."""
    name = f"test-{os.getpid()}-backends"
    fleet = BackendsFleet(tmp_path_factory.mktemp("backends") / "project", name)
    with Lab.up(two_hosts, name=name, known_hosts=fleet.known_hosts, disk_bytes=1 << 30) as lab:
        here = Backends(fleet, lab)
        here.made()
        yield here
