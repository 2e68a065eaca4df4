"""The monitor item on a host of a fleet without hosts, and what its script is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deploys.checklist import CHECKLIST
from hostmuster.engine.catalogue import Compiled, compile_fleet
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from hostmuster.secrets.sealed import Sealed
from hostmuster.secrets.value import Secret
from tests.items.project import PUBLIC, SCHEMAS, fleet, resource

ORIGIN = "https://hooks.example.net"
HOOK: dict[str, Any] = {"monitor": {"webhook": {"origin": ORIGIN}}}


def lines(part: Compiled) -> list[str]:
    """What the host's script is told."""
    text: str = resource(part, "file /etc/hostmuster/monitor/checks").content.decode()
    return text.splitlines()


def hooked(folder: Path, settings: dict[str, Any], *, lab: bool = False) -> Compiled:
    """The item on server-1 of a fleet whose store has the webhook's address; nothing reads it."""
    fleet(folder, settings)
    if lab:
        file = folder / "inventory" / "unit.yml"
        file.write_text(file.read_text().replace("lab: false", "lab: true"))

    def unread() -> Secret:
        raise AssertionError("compiling a fleet opens no store")

    secret = Sealed("monitor-webhook", unread, lambda: str(unread()))
    loaded = load_fleet(Project(folder), "unit", SCHEMAS, public=PUBLIC, secrets={secret.name: secret})
    (part,) = compile_fleet(loaded, CHECKLIST, only="monitor").hosts["server-1"]
    return part
