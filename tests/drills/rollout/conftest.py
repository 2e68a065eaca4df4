"""The hosts of tests/lab/secrets, for what takes longer."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.lab.gate.gated import GatedFleet
from tests.lab.secrets.sharers import Sharers, started


@pytest.fixture(scope="package")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sharers]:
    """Four hosts with a generation, and a service that runs with it behind the start gate."""
    folder = tmp_path_factory.mktemp("rollout") / "project"
    with started(folder, f"test-{os.getpid()}-rollout", GatedFleet) as sharers:
        yield sharers.settled()


@pytest.fixture
def sharers(built: Sharers) -> Sharers:
    """All on, with one generation, whatever the last test left."""
    return built.settled()
