"""What must hold before several replicas of a service serve together (K1): gates our changes, and is told by itself."""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Iterator, Sequence

from hostmuster.engine.opening import Opening
from hostmuster.engine.replica_look import ReplicaLook
from hostmuster.engine.visit import Visit
from hostmuster.errors import InputError
from hostmuster.model.fleet import Host
from hostmuster.resources.step import Owe, Run
from hostmuster.secrets.preflight.crowd import Crowd
from hostmuster.secrets.preflight.environment import environments_of
from hostmuster.secrets.preflight.finding import Finding
from hostmuster.secrets.preflight.stored import Stored
from hostmuster.secrets.preflight.table import Services, in_the_way, several, table
from hostmuster.secrets.preflight.token_life import of_fleet


def require_shared(opening: Opening, units: Collection[str] | None = None) -> None:
    """The gate of what we change: by the fleet file and the store, so by what will be and at no round trip.

    `units`: only what starts with these counts. Raises InputError with every miss; a change that mends what hosts have
    is none, since they are not asked.
    """
    services = {
        name: found
        for name, found in environments_of(opening.fleet).items()
        if units is None or any(unit in units for one in found for unit in one.units)
    }
    if several(services) and (problems := in_the_way(services, Stored.of(opening.store))):
        raise InputError(problems)


def units_on(opening: Opening, host: Host) -> frozenset[str]:
    """What a host runs of services that have environment files."""
    found = environments_of(opening.fleet).values()
    return frozenset(unit for replicas in found for one in replicas if one.host == host.name for unit in one.units)


def require_shared_to_start(opening: Opening, visits: Sequence[Visit]) -> None:
    """The same, where a run that has looked at its hosts would start or restart something of it."""
    if units := {unit for visit in visits for unit in _begun(visit)}:
        require_shared(opening, units)


def _begun(visit: Visit) -> Iterator[str]:
    for step in (step for part in visit.plan.changes for step in part.steps):
        if isinstance(step, Owe) and step.action == "restart":
            yield step.unit
        elif isinstance(step, Run) and step.argv[:2] == ("systemctl", "start"):
            yield step.argv[-1]
    yield from (debt.unit for debt in (visit.state.debts if visit.state else ()))


def _unseen(services: Services) -> Iterator[Finding]:
    """What nobody looks at without asking the hosts."""
    for name, replicas in several(services).items():
        for one in replicas:
            said = "what it holds, and its processes use: not asked"
            yield Finding("replicas", name, said, looked_at=False, host=one.host)


def _crowds(opening: Opening, services: Services, stored: Stored) -> list[Crowd]:
    run = secrets.token_hex(8)
    found = several(services).items()
    return [Crowd.of(opening.fleet, name, replicas, stored.kinds, run) for name, replicas in found]


def preflight(opening: Opening) -> tuple[dict[str, object], int]:
    """The table of K1, and its exit code: 3 for any miss."""
    began = time.monotonic()
    services = environments_of(opening.fleet)
    stored = Stored.of(opening.store)
    findings = table(services, stored)
    look = None if opening.job.declared else ReplicaLook(opening, _crowds(opening, services, stored))
    findings += _unseen(services) if look is None else look.findings()
    told = {
        "fleet": opening.fleet.name,
        "lines": [found.document() for found in dict.fromkeys(findings)],
        "token_life_s": of_fleet(opening.fleet),
        "execs": look.execs if look else {},
        "seconds": round(time.monotonic() - began, 3),
    }
    return told, InputError.exit_code if any(found.problem for found in findings) else 0
