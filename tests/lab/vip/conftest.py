"""Two ingress hosts that share addresses."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.lab.vip.shared import BOTH, Shared, declare, shared_lab


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """Brought to it once."""
    with shared_lab(tmp_path_factory.mktemp("vip") / "project", f"test-{os.getpid()}-vip") as shared:
        yield shared


@pytest.fixture
def shared(two: Shared) -> Shared:
    """All runs and one host owns the addresses, whatever the last test left."""
    declare(two)
    for host in BOTH:
        two.lab.heal(host)
        two.lab.start(host)
        two.shell(host, "systemctl start nginx keepalived")
    two.until(two.stands)
    return two
