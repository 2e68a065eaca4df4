"""Two hosts behind their start gates."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.lab.gate.gated import Gated, gated_lab
from tests.lab.pair import two_hosts


@pytest.fixture(scope="package")
def gated_pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gated]:
    """One of each Debian."""
    with gated_lab(tmp_path_factory.mktemp("gate") / "project", f"test-{os.getpid()}-gate", two_hosts) as gated:
        yield gated


@pytest.fixture
def gated(gated_pair: Gated) -> Gated:
    """All on and serving; what a test leaves, it has put back."""
    assert all(gated_pair.serves(host) for host in gated_pair.hosts)
    return gated_pair
