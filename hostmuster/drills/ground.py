"""Whether a fleet gives ground for a drill, and on which host; and what it must not be held on."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from hostmuster.drills.drill import Drill
from hostmuster.drills.faults.fault import Cause, Ground, NoGround
from hostmuster.engine.opening import Opening
from hostmuster.errors import HostmusterError, Refused
from hostmuster.model.fleet import Fleet, Host
from hostmuster.secrets.reader import readers_of
from hostmuster.secrets.reference import name_of

SCHEMES = frozenset({"redis", "rediss", "postgres", "postgresql", "mysql", "amqp"})
HERE = frozenset({"localhost", "127.0.0.1", "::1", ""})


def ground(drill: Drill, fleet: Fleet, host: str | None) -> Ground:
    """The target: the host that is named, else the first of the drill's role.

    Raises NoGround; Refused for a host that the fleet has not, or of another role.
    """
    candidates = fleet.with_role(drill.role)
    if host is not None and host not in fleet.hosts:
        raise Refused(f"no host is named {host}", where="--host", remedy=f"it has: {', '.join(fleet.hosts)}")
    if not candidates:
        raise NoGround(f"no host has the role {drill.role}")
    if len(candidates) < drill.redundancy:
        raise NoGround(f"the role {drill.role} has {len(candidates)} host: with one more it could be lost")
    target = fleet.hosts[host] if host is not None else candidates[0]
    if target not in candidates:
        names = ", ".join(one.name for one in candidates)
        raise Refused(
            f"{drill.name} is for hosts of the role {drill.role}", where=target.name, remedy=f"one of {names}"
        )
    if drill.item and (drill.item not in target.resolved.models or not target.origin(drill.item).file):
        raise NoGround(f"{target.name} has no settings of the item {drill.item}")
    return Ground(fleet, target)


def causes(drill: Drill, where: Ground) -> tuple[list[Cause], list[str]]:
    """Its faults here, and in words those that cannot be caused. Raises NoGround where none can."""
    found, not_run = [], []
    for fault in drill.faults:
        try:
            found.append(fault.make(where))
        except NoGround as why:
            not_run.append(f"{fault.name}: {why}")
    if not found:
        raise NoGround("; ".join(not_run))
    return found, not_run


def require_alone(drill: Drill, where: Ground, opening: Opening) -> None:
    """Raises Refused where the target's services use a database, a Redis or a queue that others may use, too (R12)."""
    if not drill.destroys:
        return
    inside = {*HERE, *where.fleet.hosts, *(host.address for host in where.fleet.hosts.values()), *where.drilling.own}
    for variable, name in outside(where.target, opening):
        if name not in inside:
            raise Refused(
                f"{variable} leads to {name}, which is not of this fleet: others may use it too",
                where=where.target.name,
                remedy=f"if nobody else does, say so: drills: {{own: [{name}]}}",
            )


def outside(host: Host, opening: Opening) -> Iterator[tuple[str, str]]:
    """Variables that lead to a database, and the host name in each."""
    env_files = host.resolved.models.get("env_files")
    files = getattr(env_files, "files", {}).values()
    plain = [(name, str(value)) for file in files for name, value in file.values.items()]
    for name, text in (*plain, *_secret(host, opening)):
        url = urlsplit(text)
        if url.scheme.partition("+")[0] in SCHEMES:
            yield name, url.hostname or ""


def _secret(host: Host, opening: Opening) -> Iterator[tuple[str, str]]:
    for reader in readers_of(host).values():
        for variable, reference in reader.env.items():
            name = name_of(reference)
            entry = opening.store.entries.get(name)
            if entry is None or entry.kind.name not in ("redis-url", "opaque"):
                continue
            try:
                yield variable, opening.store.value(name).text()
            except (HostmusterError, UnicodeDecodeError):
                continue


def require_confirmed(where: Ground, confirm: str | None, *, all_of_them: bool) -> None:
    """Raises Refused where the fleet is no lab and the host's name (for all drills, the fleet's) was not typed."""
    name = where.fleet.name if all_of_them else where.target.name
    if not where.fleet.lab and confirm != name:
        what = (
            f"it is no lab and this is a drill, so the {'fleet' if all_of_them else 'host'}'s name is to be typed again"
        )
        raise Refused(what, where=name, remedy=f"at a terminal, or with --confirm {name}")
