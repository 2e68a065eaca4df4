"""Three hosts in a ring, whose power is taken away."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.conftest import three_hosts
from tests.lab.monitor.conftest import watched
from tests.lab.monitor.watched import Watched, watched_lab

__all__ = ["monitored_hosts", "watched"]


@pytest.fixture(scope="package")
def monitored_hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """server-1 watches worker-1, which watches worker-2."""
    with watched_lab(tmp_path_factory, "ring", three_hosts) as ring:
        yield ring
