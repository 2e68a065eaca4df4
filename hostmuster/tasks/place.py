"""Which fleet of which project a task about the store is for."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from hostmuster.project import Project

PLACE: Final = {
    "fleet": "the fleet (inventory/NAME.yml); default $HOSTMUSTER_FLEET, else lab",
    "project": "the project's folder; default: the nearest one upward with inventory/",
}
"""The help of both options."""
_PLAIN: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
"""A name that needs no closer look."""


def fleet_name(given: str) -> str:
    """The option, else $HOSTMUSTER_FLEET, else lab. Raises Refused for what no fleet can be named."""
    name = given or os.environ.get("HOSTMUSTER_FLEET") or "lab"
    if not _PLAIN.fullmatch(name):
        # Only here: what reads fleets takes longer to import than any other task may take to start.
        from hostmuster.model.declared import require_name

        require_name(name)
    return name


def project_of(given: str) -> Project:
    """The option's folder, else the nearest one upward. Raises Refused."""
    return Project.find(Path(given)) if given else Project.find()
