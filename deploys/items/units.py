"""Declared services and timers run as shipped; each replica has a worker id and a machine id of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel, ConfigDict, Field

from deploys.items import images
from hostmuster.effects import service
from hostmuster.env.variable import EnvValue
from hostmuster.errors import InputError, Problem
from hostmuster.images.reference import familiar
from hostmuster.item import Effect, Item, of_service
from hostmuster.lab import workload_service, workload_settings
from hostmuster.lab.workload_process import Given
from hostmuster.model.fleet import Host
from hostmuster.model.types import UnitName
from hostmuster.resources.unit import Unit, listing
from hostmuster.resources.unit_file import unit_file
from hostmuster.secrets.consumer import Url
from hostmuster.secrets.reader import drop_ins
from hostmuster.template import Declared

if TYPE_CHECKING:
    from deploys.items.env_files import EnvFiles


class Other(BaseModel):
    """A unit from a template below templates/units. `ready` is a command that succeeds once it serves; `runs` lists
    what it is at, which a stop would end: a command that prints a line for each, or a URL."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    template: str
    values: dict[str, EnvValue] = {}
    enabled: bool = True
    active: bool = True
    ready: tuple[str, ...] = ()
    ready_s: int = Field(default=30, ge=1, le=3600)
    runs: tuple[str, ...] | Url = ()


class Units(BaseModel):
    """The reference workload where it is named, and all other units by name, in the order in which they start."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    workload: workload_settings.Workload | None = None
    declared: dict[UnitName, Other] = {}


ITEM = Item("units", settings=Units, serves=True)


def resources(host: Host) -> Iterator[Declared]:
    """The workload, then the other units: all files first, so that each finds the units it names."""
    want = cast("Units", host.settings(ITEM.name))
    if want.workload is not None:
        _require_image(host, want.workload)
        yield from workload_service.resources(host, want.workload, _given(host))
    for name, unit in want.declared.items():
        yield unit_file(name, f"units/{unit.template}", unit.values)
    for name, unit in want.declared.items():
        runs = listing(unit.runs.replace("{address}", host.address)) if isinstance(unit.runs, str) else unit.runs
        ins = drop_ins(host, name)
        yield Unit(name, unit.enabled, unit.active, drop_ins=ins, ready=unit.ready, ready_s=unit.ready_s, runs=runs)


def effects(host: Host) -> Iterator[Effect]:
    """The workload's answers, and that the other units run."""
    want = cast("Units", host.settings(ITEM.name))
    if want.workload is not None:
        yield from of_service(workload_service.effects(host, want.workload, _given(host)))
    yield from of_service(service.active(name, unit.ready_s) for name, unit in want.declared.items() if unit.active)


def _require_image(host: Host, workload: workload_settings.Workload) -> None:
    """Raises InputError for an image that no item has on this host: each task would end as soon as it is claimed."""
    image = workload.worker.image if workload.worker else None
    declared = images.settings(host).declared if image and host.origin("images").file else {}
    if image and familiar(image) not in {familiar(reference) for reference in declared}:
        where = str(host.origin(ITEM.name, "workload", "worker", "image"))
        what = f"{host.name}: no item declares the image {image} of the workload's tasks"
        raise InputError([Problem(where, what, "declare it under images.declared, or correct the name")])


def _given(host: Host) -> Mapping[str, Given]:
    """What env_files gives units, each variable with its file: a file that restarts a unit is read by it."""
    files = [f for f in cast("EnvFiles", host.settings("env_files")).files.values() if f.consumer == "systemd"]
    units = {unit for file in files for unit in file.restarts}
    return {
        unit: {name: file.path for file in files if unit in file.restarts for name in file.values} for unit in units
    }
