"""One lab for all rollouts; each test begins with one generation everywhere."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.lab.secrets.sharers import Sharers, started


@pytest.fixture(scope="package")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sharers]:
    """Hosts that let the automation user in and have no secrets yet."""
    with started(tmp_path_factory.mktemp("sharers") / "project", f"test-{os.getpid()}-sharers") as sharers:
        yield sharers


@pytest.fixture
def sharers(built: Sharers) -> Sharers:
    """All on, and as the store says."""
    return built.settled()
