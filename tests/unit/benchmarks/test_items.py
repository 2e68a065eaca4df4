"""The items are the same however they are expressed; that they make the same hosts is compared in every run."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from benchmarks.items import services, settings
from hostmuster.engine.catalogue import compile_fleet
from hostmuster.model.fleet import Fleet
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.unit import Unit

ITEMS = Path(settings.__file__).parent
FLEET = """
fleet: bench
lab: true
roles: {bench: {}}
hosts: {bench-001: {address: 10.213.9.11, debian: 12, roles: [bench]}}
"""


def fleet(folder: Path) -> Fleet:
    (folder / "inventory").mkdir()
    (folder / "templates").symlink_to(ITEMS / "templates")
    (folder / "inventory" / "bench.yml").write_text(FLEET)
    return load_fleet(Project(folder), "bench", {"settings": None, "services": None})


def test_a_host_has_thirty_six_of_them(tmp_path: Path) -> None:
    compiled = compile_fleet(fleet(tmp_path), (settings, services)).hosts["bench-001"]
    kinds = [type(resource) for part in compiled for resource in part.resources]
    assert (kinds.count(Directory), kinds.count(File), kinds.count(Unit), len(kinds)) == (1, 30, 5, 36)


def test_ansible_is_told_as_many() -> None:
    (play,) = yaml.safe_load((ITEMS / "playbook.yml").read_text())
    loops = [re.search(r"range\(1, (\d+)\)", task.get("loop", "")) for task in play["tasks"]]
    assert [int(found[1]) - 1 for found in loops if found] == [len(settings.FILES), 5, len(services.UNITS)]
