"""Shared secrets lie on every host as one generation, which services get from systemd and nobody else reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel, ConfigDict

from hostmuster.effects import secrets as proofs
from hostmuster.effects.files import kept_from_others
from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.model.types import AbsolutePath
from hostmuster.resources.absent import Absent
from hostmuster.resources.committed import Committed
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import UNIT_FOLDER, File
from hostmuster.resources.retired import Retired
from hostmuster.resources.unit import Unit
from hostmuster.resources.unit_file import unit_file
from hostmuster.secrets import start_gate
from hostmuster.secrets.issuer import Issuer
from hostmuster.secrets.reader import CURRENT, Reader, ReaderName, directives, drop_in, readers_of
from hostmuster.secrets.reference import SecretName
from hostmuster.secrets.row_commands import RowCommands
from hostmuster.template import Declared, Templated

if TYPE_CHECKING:
    from deploys.items import access


class Secrets(BaseModel):
    """Who reads what, by a name of the operator's choice; by ring, how the service that signs with it is asked.

    `shared_volumes`: by environment file, the folder that its service's replicas share, which a marker shows.
    `migrations`: by Fernet key, how its rows are encrypted anew.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    readers: dict[ReaderName, Reader] = {}
    issuers: dict[SecretName, Issuer] = {}
    shared_volumes: dict[str, AbsolutePath] = {}
    migrations: dict[SecretName, RowCommands] = {}


ITEM = Item("secrets", settings=Secrets, only_declared=True)


def resources(host: Host) -> Iterator[Declared]:
    """The start gate, a generation, and the drop-ins by which units read it. A generation's files are the rollout's."""
    readers = readers_of(host)
    yield from _gate(host)
    if readers:
        yield Committed(tuple(sorted({name for reader in readers.values() for name in reader.secrets})))
    for name, reader in readers.items():
        if reader.reloads:
            continue
        path = drop_in(name, reader)
        yield Directory(path.rpartition("/")[0])
        file = File(path, b"", restarts=() if reader.timed else (reader.unit,), lint="systemd-unit")
        gate = [start_gate.CONDITION] if _peers(host) and not reader.timed else []
        yield Templated(file, "secrets/drop-in.j2", {"directives": [*gate, *directives(name, reader)]})


def leaving(host: Host) -> Iterator[Declared]:
    """A host of no fleet has no peers, and no generation to tell of."""
    if readers_of(host):
        yield Absent(start_gate.ANNOUNCED)
    if _peers(host):
        yield Retired(start_gate.TIMER)


def effects(host: Host) -> Iterator[Effect]:
    """Nobody else reads them, what runs was started with the generation that is there, and nothing waits for peers."""
    readers, others = readers_of(host), _peers(host)
    if readers:
        yield kept_from_others([f"{CURRENT}/{name}.env" for name, one in readers.items() if one.env] or [CURRENT])
    if others:
        yield start_gate.holds_nothing_back()
        yield start_gate.hears(others[0])
    yield from (proofs.runs_with_current(reader.unit) for reader in readers.values() if not reader.reloads)


def _gate(host: Host) -> Iterator[Declared]:
    others = _peers(host)
    if not others:
        return
    gated = (reader for reader in readers_of(host).values() if not reader.reloads and not reader.timed)
    units = dict.fromkeys(reader.unit for reader in gated)
    service = cast("access.Settings", host.settings("access")).service
    yield Directory(start_gate.FOLDER)
    yield File(start_gate.PEERS, start_gate.peers(service, others, units))
    program = start_gate.source().encode()
    yield File(start_gate.PROGRAM, program, "0755", validate=("sh", "-n"), lint="shell")
    values = {"program": start_gate.PROGRAM, "every_s": start_gate.EVERY_S}
    yield Templated(
        File(f"{UNIT_FOLDER}{start_gate.SERVICE}", b"", lint="systemd-unit"), "secrets/gate.service.j2", values
    )
    yield unit_file(start_gate.TIMER, "secrets/gate.timer.j2", values)
    yield Unit(start_gate.TIMER, drop_ins=())


def _peers(host: Host) -> tuple[str, ...]:
    """The other hosts that read secrets, the next one first; none where no trust between hosts is declared.

    What reads a secret anew while it runs, as a certificate, serves with any: it passes no gate.
    """
    if all(one.reloads for one in readers_of(host).values()) or "access" not in host.resolved.models:
        return ()
    ring = [one.name for one in host.fleet.hosts.values() if readers_of(one)]
    at = ring.index(host.name)
    return (*ring[at + 1 :], *ring[:at])
