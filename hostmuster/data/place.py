"""Where a host finds the database, and whether it may come in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from hostmuster.data.declaration import Database
from hostmuster.errors import InputError, Problem
from hostmuster.model.fleet import Host

ITEM = "database"


@dataclass(frozen=True)
class Place:
    """One database. `host`: the host of the fleet that it is on; None where it is somebody else's."""

    address: str
    port: int
    name: str
    host: str | None

    @property
    def url(self) -> str:
        """As libpq reads it, without the password. Ours proves in turn that it knows that, so nobody stands between."""
        bound = "&channel_binding=require" if self.host else ""
        return f"postgresql://{self.name}@{self.address}:{self.port}/{self.name}?sslmode=require{bound}"


def settings(host: Host) -> Database | None:
    """What the host's fleet declares; None where it declares no database."""
    found = host.resolved.models.get(ITEM)
    return cast("Database", found) if found is not None and host.origin(ITEM).file else None


def place(host: Host) -> Place | None:
    """The one that a host is to use. None where none is declared, or a lab runs without the host that it is on.

    Raises InputError where several hosts of one fleet would each have one.
    """
    want = settings(host)
    if want is None:
        return None
    if want.address is not None:
        return Place(want.address, want.port, want.name, None)
    servers = host.fleet.with_role(want.role)
    if len(servers) > 1:
        where = str(host.origin(ITEM))
        what = f"{len(servers)} hosts have the role {want.role}, and the level single is one server"
        raise InputError([Problem(where, what, "leave the role to one host: each would have data of its own")])
    return Place(servers[0].address, want.port, want.name, servers[0].name) if servers else None


def is_client(host: Host) -> bool:
    """Whether the database lets the host in."""
    want = settings(host)
    return want is not None and not set(want.clients).isdisjoint(host.roles)
