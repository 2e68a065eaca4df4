"""Two bare hosts, Debian 12 and 13, onboarded to the whole checklist as the repository's own lab declares it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hostmuster.lab import wreck
from hostmuster.lab.lab import Lab
from tests.drills.checklist.whole import Whole, two_hosts
from tests.lab.fleet_on_lab import FleetOnLab


@pytest.fixture(scope="package")
def onboarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    """Each by one command, one after the other; what they ended with is kept for the tests."""
    name = f"test-{os.getpid()}-whole"
    fleet = FleetOnLab(tmp_path_factory.mktemp("whole") / "project", name)
    try:
        lab = Lab.up(two_hosts, name=name, known_hosts=fleet.known_hosts)
        whole = Whole(fleet, lab)
        whole.declare()
        done = fleet.hostmuster("secrets.init")
        assert done.exit == 0, done.errors
        for host in lab.hosts:
            whole.onboarded[host] = fleet.run("onboard", host)
        # Each host knows the other from here on, and what is between hosts can hold.
        whole.apply()
        yield whole
    finally:
        wreck.clear(name)


@pytest.fixture
def whole(onboarded: Whole) -> Whole:
    """As declared, whatever the last test left."""
    for host in onboarded.lab.hosts:
        onboarded.lab.start(host)
    onboarded.apply()
    return onboarded
