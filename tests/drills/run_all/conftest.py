"""The repository's own lab of seven hosts, at another place."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.drills.own_fleet import OwnFleet, own_fleet


@pytest.fixture(scope="package")
def seven(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnFleet]:
    """Two servers, two workers, two ingress hosts, a database."""
    with own_fleet(tmp_path_factory.mktemp("seven") / "project", f"test-{os.getpid()}-seven") as here:
        yield here
