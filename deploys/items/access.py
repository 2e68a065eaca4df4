"""Operators, the automation user and the service user log in by key; hosts trust each other by one CA."""

from __future__ import annotations

from collections.abc import Iterator

from hostmuster.engine.automation import automation
from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.resources.resource import Resource

ITEM = Item("access")


def resources(host: Host) -> Iterator[Resource]:
    """The automation user as bootstrap made it."""
    yield from automation(host)


def effects(host: Host) -> Iterator[Effect]:
    """Logging in is proved by the run itself."""
    yield from ()
