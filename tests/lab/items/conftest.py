"""One lab for all these tests: each begins with an apply, so none needs bare hosts."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostmuster.lab.lab import Lab
from tests.lab.fleet_on_lab import REPOSITORY, FleetOnLab
from tests.lab.items.site import Site
from tests.lab.pair import two_hosts

GIB = 1 << 30


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Two hosts, bare at first, brought to the checklist once."""
    name = f"test-{os.getpid()}-items"
    fleet = FleetOnLab(tmp_path_factory.mktemp("items") / "project", name)
    with Lab.up(two_hosts, name=name, known_hosts=fleet.known_hosts, disk_bytes=GIB) as lab:
        here = Site(fleet, lab)
        here.declare()
        for words in (["secrets.init"], ["bootstrap"], ["apply"]):
            done = fleet.hostmuster(*words)
            assert done.exit == 0, f"{words}: {done.output}{done.errors}"
        yield here


@pytest.fixture
def own_units(site: Site) -> Iterator[Path]:
    """The project's own folder of unit templates; all other templates stay the repository's."""
    templates = site.fleet.folder / "templates"
    templates.unlink()
    shutil.copytree(REPOSITORY / "templates", templates)
    yield templates / "units"
    shutil.rmtree(templates)
    templates.symlink_to(REPOSITORY / "templates")
    site.declare()
