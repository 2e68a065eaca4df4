"""One lab of two hosts for all tests of a monitor that need no power loss."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.monitor.watched import Watched, watched_lab
from tests.lab.pair import two_hosts


@pytest.fixture(scope="package")
def monitored_hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """One of each Debian."""
    with watched_lab(tmp_path_factory, "monitor", two_hosts) as watched:
        yield watched


@pytest.fixture
def watched(monitored_hosts: Watched) -> Watched:
    """They are well, and nothing was told yet."""
    monitored_hosts.settle()
    return monitored_hosts
