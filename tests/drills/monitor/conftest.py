"""Three hosts in a ring, whose power is taken away."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.lab.conftest import three_hosts
from tests.lab.monitor.watched import Watched, watched_lab


@pytest.fixture(scope="package")
def ring_of_three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """server-1 watches worker-1, which watches worker-2."""
    folder = tmp_path_factory.mktemp("ring") / "project"
    with watched_lab(folder, f"test-{os.getpid()}-ring", three_hosts) as watched:
        yield watched


@pytest.fixture
def watched(ring_of_three: Watched) -> Watched:
    """They are well, and nothing was told yet."""
    ring_of_three.settle()
    return ring_of_three
