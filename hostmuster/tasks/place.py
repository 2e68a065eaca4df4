"""Which fleet of which project a task about the store is for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from hostmuster.project import Project

PLACE: Final = {
    "fleet": "the fleet (inventory/NAME.yml); default $HOSTMUSTER_FLEET, else lab",
    "project": "the project's folder; default: the nearest one upward with inventory/",
}
"""The help of both options."""


def fleet_name(given: str) -> str:
    """The option, else $HOSTMUSTER_FLEET, else lab."""
    return given or os.environ.get("HOSTMUSTER_FLEET") or "lab"


def project_of(given: str) -> Project:
    """The option's folder, else the nearest one upward. Raises Refused."""
    return Project.find(Path(given)) if given else Project.find()
