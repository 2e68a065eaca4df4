"""One lab for the tests of this folder."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.drills.front.front import ROLES, Front
from tests.drills.own_fleet import own_fleet
from tests.lab.vip.shared import BOTH


@pytest.fixture(scope="package")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """Brought to it once."""
    name = f"test-{os.getpid()}-front"
    with own_fleet(tmp_path_factory.mktemp("front") / "project", name, ROLES) as own:
        yield Front(own.fleet, own.lab, own=own)


@pytest.fixture
def front(made: Front) -> Front:
    """All runs, whatever the last test left."""
    for host in BOTH:
        made.lab.start(host)
        made.shell(host, "systemctl start nginx haproxy keepalived")
    made.until(made.serves)
    return made
