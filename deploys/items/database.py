"""The fleet's database lets its clients in by password alone, and keeps what it acknowledged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from hostmuster.data.declaration import Database
from hostmuster.data.place import Place, is_client, place
from hostmuster.data.server import PASSWORD, ROLE_UNIT, Server
from hostmuster.effects import database as proofs
from hostmuster.effects import service
from hostmuster.errors import InputError, Problem
from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.resources.package import Package
from hostmuster.secrets.reader import readers_of
from hostmuster.template import Declared

ITEM = Item("database", settings=Database, only_declared=True)


def resources(host: Host) -> Iterator[Declared]:
    """On its host the server; elsewhere what the proof needs. Raises InputError: a role without a password."""
    where = place(host)
    if where is None:
        return
    if where.host == host.name:
        _require_password(host)
        yield from Server(host, _settings(host)).resources()
    elif is_client(host) or where.host is not None:
        yield Package("python3")


def effects(host: Host) -> Iterator[Effect]:
    """Clients are let in by SCRAM, others are not; the server has no weaker rule and no other address."""
    where = place(host)
    if where is None:
        return
    want = _settings(host)
    if where.host == host.name:
        yield from _of_server(Server(host, want), where)
    elif is_client(host):
        yield proofs.lets_in(where, want.deadline_s)
    elif where.host is not None:
        yield proofs.keeps_out(where)


def _of_server(server: Server, where: Place) -> Iterator[Effect]:
    yield service.active(server.unit, 30)
    yield service.active(ROLE_UNIT, 30)
    yield service.listens_only(where.address, where.port, 30)
    yield proofs.takes_no_weaker(where.name, 30)


def _require_password(host: Host) -> None:
    read = [one for one in readers_of(host).values() if one.unit == ROLE_UNIT and PASSWORD in one.files]
    if not read:
        what = f"{host.name}: no secret is the password of the database's role"
        remedy = f"declare under secrets.readers: {{unit: {ROLE_UNIT}, files: {{{PASSWORD}: NAME}}}}"
        raise InputError([Problem(str(host.origin(ITEM.name)), what, remedy)])


def _settings(host: Host) -> Database:
    return cast("Database", host.settings(ITEM.name))
