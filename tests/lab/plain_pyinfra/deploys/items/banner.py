"""Who logs in is greeted."""

from __future__ import annotations

from collections.abc import Iterator

from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.resources.file import File
from hostmuster.resources.resource import Resource

ITEM = Item("banner")


def resources(host: Host) -> Iterator[Resource]:
    """A file that every host has already, with another content."""
    yield File("/etc/motd", b"MARKER-body-4711\n")


def effects(host: Host) -> Iterator[Effect]:
    """None."""
    yield from ()
