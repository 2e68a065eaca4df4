"""A project whose checklist is one item, the project's own code."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from pathlib import Path
from typing import cast

from hostmuster.engine.catalogue import Compiled, compile_fleet
from hostmuster.engine.job import Job
from hostmuster.item import ItemModule
from hostmuster.model.fleet import Host
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from hostmuster.secrets.founding import found_store
from hostmuster.secrets.place import store_path
from hostmuster.tasks.engine import ENGINE

ITEM = '''"""An item of the project's own."""

from hostmuster.item import Item

ITEM = Item("own")


def resources(host):
    {resources}
    yield


def effects(host):
    {effects}
'''
FLEET = """
fleet: unit
lab: false
roles: {web: {}}
hosts:
  a: {address: 192.0.2.1, debian: 12, roles: [web]}
"""


class Written:
    """A project with a checklist of one item."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.checklist, self.item = root / "deploys" / "checklist.py", root / "deploys" / "own.py"
        for folder in ("inventory", "deploys", "home"):
            (root / folder).mkdir()
        (root / "deploys" / "__init__.py").touch()
        (root / "inventory" / "unit.yml").write_text(FLEET)
        self.item.write_text(ITEM.format(resources="return", effects="return ()"))
        self.checklist.write_text("from deploys import own\n\nCHECKLIST = (own,)\n")
        found_store(store_path(Project(root), "unit"), "unit", (), {}, root / "home")

    def refused(self, *hosts: str) -> str:
        """What the engine, as a process of its own, ends with: one error, and nothing beside it."""
        job = Job(command="check", project=self.root, fleet="unit", limit=hosts, holder="test").model_dump_json()
        environment = os.environ | {"HOME": str(self.root / "home")}
        ended = subprocess.run(ENGINE, input=job, capture_output=True, text=True, check=False, env=environment)
        assert ended.stderr == ""
        (event,) = map(json.loads, ended.stdout.splitlines())
        assert (ended.returncode, event["event"], event["exit"]) == (3, "error", 3)
        text: str = event["text"]
        return text

    def compiled(self) -> tuple[Host, Compiled]:
        """Its one host, and the item there."""
        ((host, part),) = self.on_each()
        return host, part

    def on_each(self) -> list[tuple[Host, Compiled]]:
        """Each host, and the item there."""
        spec = importlib.util.spec_from_file_location("own", self.item)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        fleet = load_fleet(Project(self.root), "unit", {"own": None})
        compiled = compile_fleet(fleet, [cast("ItemModule", module)]).hosts
        return [(host, part) for host in fleet.hosts.values() for part in compiled[host.name]]
