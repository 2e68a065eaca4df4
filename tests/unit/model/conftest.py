"""A project in a folder of its own, and two items' settings as the checklist would declare them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from hostmuster.errors import InputError, Problem
from hostmuster.model.fleet import Fleet
from hostmuster.model.inventory import load_fleet
from hostmuster.model.types import AbsolutePath, EnvName, Mode, UserName
from hostmuster.project import Project

GOOD = """\
fleet: lab
settings:
  clock:
    servers: [ntp.example.net]
roles:
  server: {}
  worker: {}
hosts:
  server-1: {address: 192.0.2.11, debian: 12, roles: [server]}
  worker-1:
    address: 192.0.2.12
    debian: 13
    roles: [worker]
"""

Load = Callable[..., Fleet]
Wrong = Callable[..., list[Problem]]


class Clock(BaseModel):
    """Settings of an item with a list, a number with bounds, a switch and a text."""

    model_config = ConfigDict(extra="forbid")

    servers: tuple[str, ...] = Field(examples=[["ntp.example.net"]])
    step_s: float = Field(default=1.0, gt=0)
    makestep: bool = True
    zone: str = "UTC"


class Folder(BaseModel):
    """A mapping's value, so that levels merge inside it."""

    model_config = ConfigDict(extra="forbid")

    mode: Mode = "0755"
    owner: UserName = "root"
    env: dict[EnvName, str] = {}


class Workspace(BaseModel):
    """Settings with mappings of models."""

    model_config = ConfigDict(extra="forbid")

    root: AbsolutePath = "/srv"
    folders: dict[str, Folder] = {}


SCHEMAS: Mapping[str, type[BaseModel] | None] = {"clock": Clock, "workspace": Workspace, "units": None}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "inventory").mkdir()
    return Project(tmp_path)


@pytest.fixture
def good() -> str:
    """A fleet file without a mistake; the tables name its lines."""
    return GOOD


@pytest.fixture
def load(project: Project) -> Load:
    """Write inventory/lab.yml and load it."""

    def write_and_load(text: str | bytes, **options: Any) -> Fleet:
        content = text if isinstance(text, bytes) else text.encode()
        project.fleet_file("lab").write_bytes(content)
        return load_fleet(project, "lab", options.pop("schemas", SCHEMAS), **options)

    return write_and_load


@pytest.fixture
def wrong(load: Load) -> Wrong:
    """All that is said about a fleet file, which must be refused before anything is touched."""

    def refused(text: str | bytes, **options: Any) -> list[Problem]:
        with pytest.raises(InputError) as caught:
            load(text, **options)
        assert caught.value.exit_code == 3
        return list(caught.value.problems)

    return refused
