"""A package of Debian's that a trial wants on the hosts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from pydantic import BaseModel, ConfigDict

from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.resources.package import Package
from hostmuster.resources.resource import Resource


class Settings(BaseModel):
    """`name` empty: none."""

    model_config = ConfigDict(extra="forbid")

    name: str = ""


ITEM = Item("package", settings=Settings)


def resources(host: Host) -> Iterator[Resource]:
    """The package, where one is wanted."""
    want = cast("Settings", host.settings("package"))
    if want.name:
        yield Package(want.name)


def effects(host: Host) -> Iterator[Effect]:
    """None: the trials look for themselves."""
    yield from ()
