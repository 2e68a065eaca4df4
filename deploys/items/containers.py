"""Long-lived containers run as declared, each under systemd alone; a change restarts them one host after the other."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import cast

from pydantic import BaseModel, ConfigDict

from deploys.items import apparmor, images
from hostmuster.containers.declaration import Container as Declaration
from hostmuster.containers.declaration import ContainerName
from hostmuster.containers.making import FOLDER, Making
from hostmuster.effects import containers as proofs
from hostmuster.effects import environment, service
from hostmuster.errors import InputError, Problem
from hostmuster.images.reference import familiar
from hostmuster.item import Effect, Item, of_service
from hostmuster.model.fleet import Host
from hostmuster.resources.container import Container
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.unit import Unit
from hostmuster.resources.unit_file import unit_file
from hostmuster.template import Declared


class Containers(BaseModel):
    """By name, in the order in which they start."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    declared: dict[ContainerName, Declaration] = {}


ITEM = Item("containers", settings=Containers, only_declared=True, serves=True)
_PROGRAMS = "/usr/local/lib/hostmuster"
_SUPERVISOR = files("hostmuster.containers").joinpath("supervisor.sh").read_bytes()


def resources(host: Host) -> Iterator[Declared]:
    """The supervisor; then of each container its files, its unit, and how it runs beside that."""
    made = list(_made(host))
    for folder in (_PROGRAMS, FOLDER):
        yield Directory(folder)
    # Whoever runs has read it: a new one is for the next start.
    yield File(f"{_PROGRAMS}/supervisor.sh", _SUPERVISOR, "0755", validate=("sh", "-n"), lint="shell")
    for one in made:
        mine = (one.unit,)
        yield File(f"{FOLDER}/{one.name}.env", one.environment, "0600", restarts=mine)
        yield File(f"{FOLDER}/{one.name}.machine-id", one.machine_id, restarts=mine)
        yield File(f"{FOLDER}/{one.name}.run", one.run, "0600", validate=("sh", "-n"), restarts=mine, lint="shell")
        values = {"name": one.name, **one.want.model_dump(include={"image", "stop_s", "apparmor"})}
        yield unit_file(one.unit, "containers/container.service.j2", values)
    for one in made:
        yield Container(one.name, one.unit, one.spec, one.want.image, one.config)
        yield Unit(one.unit, drop_ins=(), ready=one.want.ready, ready_s=one.want.ready_s)


def effects(host: Host) -> Iterator[Effect]:
    """Each container's process, its name, its variables, its sockets and its own proof of readiness."""
    for one in _made(host):
        yield from of_service(_effects(one))


def _effects(made: Making) -> Iterator[Effect]:
    within = float(made.want.ready_s)
    yield service.active(made.unit, within)
    yield proofs.runs(made)
    yield proofs.is_called(made)
    if made.want.env:
        yield environment.of_container(made.name, made.want.env, within)
    for published in made.want.publish:
        yield service.listens_only(made.address, published.port, within)
    if made.want.ready:
        yield proofs.is_ready(made)


def _made(host: Host) -> Iterator[Making]:
    """Raises InputError for an image or a profile that no item declares for this host."""
    want = cast("Containers", host.settings(ITEM.name))
    known = images.settings(host).declared if host.origin("images").file else {}
    profiles = apparmor.settings(host).profiles if host.origin("apparmor").file else {}
    by_name = {familiar(reference): reference for reference in known}
    for name, one in want.declared.items():
        if familiar(one.image) not in by_name:
            raise _undeclared(host, name, "image", one.image, "images.declared")
        if one.apparmor is not None and one.apparmor not in profiles:
            raise _undeclared(host, name, "apparmor", one.apparmor, "apparmor.profiles")
        yield Making(host, name, one, images.config_of(host, by_name[familiar(one.image)]))


def _undeclared(host: Host, container: str, key: str, name: str, place: str) -> InputError:
    where = str(host.origin(ITEM.name, "declared", container, key))
    what = f"{host.name}: no item declares the {key} {name} of the container {container}"
    return InputError([Problem(where, what, f"declare it under {place}, or correct the name")])
