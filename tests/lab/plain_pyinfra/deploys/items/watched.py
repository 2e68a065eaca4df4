"""A file that is looked at and left alone."""

from __future__ import annotations

from collections.abc import Iterator

from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.resources.file import File
from hostmuster.resources.resource import Resource

ITEM = Item("watched")


def resources(host: Host) -> Iterator[Resource]:
    """The fleet file has this item under `observe`."""
    yield File("/etc/watched", b"MARKER-body-4711\n")


def effects(host: Host) -> Iterator[Effect]:
    """None."""
    yield from ()
