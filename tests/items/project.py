"""A project without hosts: what its items ask for is compiled, or refused by the real command line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from deploys.checklist import CHECKLIST
from hostmuster.engine.catalogue import Compiled, compile_fleet
from hostmuster.model.fleet import Fleet
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from hostmuster.resources.resource import Resource

REPOSITORY = Path(__file__).parents[2]
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0VZn6o3WqxkB5Y0cHqJbZ0mYH5oQ0c5m0v3v0wS0aB"
SCHEMAS = {module.ITEM.name: module.ITEM.settings for module in CHECKLIST}
PUBLIC = {"automation-key.pub": KEY, "ssh-ca.pub": KEY}
ROLES: dict[str, Any] = {"server": {}, "worker": {}}
HOSTS: dict[str, dict[str, Any]] = {
    "server-1": {"address": "192.0.2.11", "debian": 12, "roles": ["server"]},
    "worker-1": {"address": "192.0.2.12", "debian": 13, "roles": ["worker"]},
}


def fleet(folder: Path, settings: Mapping[str, Any], **hosts: Mapping[str, Any]) -> Fleet:
    """A fleet of two hosts with these settings; `hosts` adds settings of single ones (`worker_1=...`)."""
    body = {
        "fleet": "unit",
        "lab": False,
        "settings": {"clock": {"servers": ["192.0.2.1"]}} | dict(settings),
        "roles": ROLES,
        "hosts": {name: host | {"settings": hosts.get(name.replace("-", "_"), {})} for name, host in HOSTS.items()},
    }
    return loaded(folder, body)


def loaded(folder: Path, body: Mapping[str, Any]) -> Fleet:
    """The fleet of this file, which is called `unit`."""
    (folder / "inventory").mkdir(exist_ok=True)
    if not (folder / "templates").exists():
        (folder / "templates").symlink_to(REPOSITORY / "templates")
    (folder / "inventory" / "unit.yml").write_text(yaml.safe_dump(body, sort_keys=False))
    return load_fleet(Project(folder), "unit", SCHEMAS, public=PUBLIC)


def compiled(folder: Path, item: str, settings: Mapping[str, Any], host: str = "server-1", **hosts: Any) -> Compiled:
    """One item on one host."""
    catalogue = compile_fleet(fleet(folder, settings, **hosts), CHECKLIST, only=item)
    (part,) = catalogue.hosts[host]
    return part


def resource(part: Compiled, identifier: str) -> Any:
    """The resource of that id."""
    found: dict[str, Resource] = {one.id: one for one in part.resources}
    return found[identifier]
