"""Nobody but root logs in any more: a mistake, made only where the fleet file says so."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.resources.file import File
from hostmuster.resources.resource import Resource


class Lockout(BaseModel):
    """Whether the mistake is made."""

    model_config = ConfigDict(extra="forbid")

    made: bool = False


ITEM = Item("lockout", settings=Lockout)


def resources(host: Host) -> Iterator[Resource]:
    """While nologin(5) is there, sshd lets in root alone."""
    settings = host.settings("lockout")
    if isinstance(settings, Lockout) and settings.made:
        yield File("/etc/nologin", b"MARKER-body-4711\n", risky=True)


def effects(host: Host) -> Iterator[Effect]:
    """None."""
    yield from ()
