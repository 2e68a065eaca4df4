"""One lab for a host's way into the fleet and out of it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hostmuster.lab.lab import Lab
from tests.lab.fleet_on_lab import FleetOnLab
from tests.lab.onboard.site import NEW, OLD, THIRD, Site, three_hosts


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Three bare hosts, two of them in the fleet, and nobody's key pinned."""
    folder = tmp_path_factory.mktemp("members")
    # Another folder of tests has this fixture, too, and one process may run both: each has a lab of its own.
    name = f"test-{os.getpid()}-{folder.name}"
    fleet = FleetOnLab(folder / "project", name)
    with Lab.up(three_hosts, name=name) as lab:
        made = Site(fleet, lab)
        made.declare(OLD, NEW)
        assert fleet.hostmuster("secrets.init").exit == 0
        yield made


@pytest.fixture(scope="package")
def members(site: Site) -> Site:
    """All three are members that know each other, whatever tests came before."""
    site.declare(OLD, NEW, THIRD)
    for host in (OLD, NEW, THIRD):
        if f"{site.lab.hosts[host].machine.address} " not in site.pins():
            done = site.fleet.run("onboard", host, "--fingerprint", site.fingerprint(host))
            assert done.exit == 0, done.errors
    done = site.fleet.run("apply")
    assert done.exit == 0, done.errors
    return site
