"""Declared services and timers run as shipped; each replica has a name, worker id and machine id of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel, ConfigDict, Field

from hostmuster.effects import service
from hostmuster.env.variable import EnvValue
from hostmuster.item import Effect, Item
from hostmuster.lab import workload_service
from hostmuster.model.fleet import Host
from hostmuster.model.types import UnitName
from hostmuster.resources.file import File
from hostmuster.resources.unit import Unit
from hostmuster.resources.unit_file import unit_file
from hostmuster.template import Declared

if TYPE_CHECKING:
    from deploys.items.env_files import EnvFiles


class Other(BaseModel):
    """A unit from a template below templates/units. `ready` is a command that succeeds once it serves."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    template: str
    values: dict[str, EnvValue] = {}
    enabled: bool = True
    active: bool = True
    ready: tuple[str, ...] = ()
    ready_s: int = Field(default=30, ge=1, le=3600)


class Units(BaseModel):
    """The reference workload where it is named, and all other units by name, in the order in which they start."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    workload: workload_service.Workload | None = None
    declared: dict[UnitName, Other] = {}


ITEM = Item("units", settings=Units)


def resources(host: Host) -> Iterator[Declared]:
    """The host's name, the workload, then the other units: all files first, so that each finds the units it names."""
    want = cast("Units", host.settings(ITEM.name))
    yield File("/etc/hostname", f"{host.name}\n".encode(), told=(("hostname", "-F", "/etc/hostname"),))
    if want.workload is not None:
        yield from workload_service.resources(host, want.workload, _given(host))
    for name, unit in want.declared.items():
        yield unit_file(name, f"units/{unit.template}", unit.values)
    for name, unit in want.declared.items():
        yield Unit(name, unit.enabled, unit.active, drop_ins=(), ready=unit.ready, ready_s=unit.ready_s)


def effects(host: Host) -> Iterator[Effect]:
    """The host's name, the workload's answers, and that the other units run."""
    want = cast("Units", host.settings(ITEM.name))
    yield service.hostname(host.name)
    if want.workload is not None:
        yield from workload_service.effects(host, want.workload, _given(host))
    yield from (service.active(name, unit.ready_s) for name, unit in want.declared.items() if unit.active)


def _given(host: Host) -> Mapping[str, str]:
    """What env_files gives the workload, each variable with its file: a file that restarts a unit is read by it."""
    files = cast("EnvFiles", host.settings("env_files")).files.values()
    mine = [f for f in files if f.consumer == "systemd" and workload_service.UNIT in f.restarts]
    return {name: file.path for file in mine for name in file.values}
