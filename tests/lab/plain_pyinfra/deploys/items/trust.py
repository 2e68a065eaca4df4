"""A change that could lock us out is confirmed over a new connection."""

from __future__ import annotations

from collections.abc import Iterator

from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.resources.file import File
from hostmuster.resources.resource import Resource

ITEM = Item("trust")


def resources(host: Host) -> Iterator[Resource]:
    """Harmless, but armed as if it were not."""
    yield File("/etc/trust", b"MARKER-body-4711\n", "0600", risky=True)


def effects(host: Host) -> Iterator[Effect]:
    """None."""
    yield from ()
