"""Two ingress hosts that share addresses, and a client on the controller's side of the network."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.lab.vip.shared import BOTH, ITEMS, Shared, shared_lab

CHECKLIST = ("access", "clock", *ITEMS[1:], "monitor")


@pytest.fixture(scope="package")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """Brought to it once."""
    with shared_lab(tmp_path_factory.mktemp("vips") / "project", f"test-{os.getpid()}-vips", CHECKLIST) as shared:
        yield shared


@pytest.fixture
def shared(two: Shared) -> Shared:
    """All runs and one host owns the addresses, whatever the last test left."""
    for host in BOTH:
        two.lab.heal(host)
        two.lab.start(host)
        two.shell(host, "systemctl start nginx keepalived")
    two.until(two.stands)
    return two
