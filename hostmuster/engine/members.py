"""The hosts that are members of a fleet already, looked at while another one becomes one."""

from __future__ import annotations

from dataclasses import replace

import gevent

from hostmuster.engine import fleet_run
from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.connection import connections
from hostmuster.engine.opening import Opening
from hostmuster.engine.record import Record
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostFailed
from hostmuster.item import Effect, Seen
from hostmuster.model.fleet import Host
from hostmuster.resources.committed import HELD
from hostmuster.secrets.generation import Held
from hostmuster.ssh import pin_file
from hostmuster.ssh.known_hosts import name_of

REFUSED_LOGIN = "Authentication error"
"""How the connector begins what it says of a host that does not know our key."""


class Others:
    """The fleet's other hosts, looked at meanwhile: who is a member, and what differs there by the new host."""

    def __init__(self, opening: Opening, host: Host, record: Record) -> None:
        pins = pin_file.read(opening.project.known_hosts(opening.fleet.name))
        pinned = [h for h in opening.fleet.hosts.values() if h is not host and pins.keys(name_of(h.address, h.port))]
        ways = connections(pinned, opening.access())
        compiled = opening.catalogue.hosts
        self._visits = {
            name: Visit(compiled[name], way, None, record.quiet(), opening.signer) for name, way in ways.items()
        }
        self._look = gevent.spawn(self._looked)

    def _looked(self) -> None:
        fleet_run.each(self._visits.values(), Visit.look)
        for visit in self._visits.values():
            visit.close()

    def for_now(self, part: Compiled) -> Compiled:
        """The item without proofs by neighbours that are no members yet, or have not heard of the new host."""
        effects = tuple(self._for_now(effect) for effect in part.effects)
        return replace(part, effects=effects, before=tuple(map(self.for_now, part.before)))

    def _for_now(self, effect: Effect) -> Effect:
        if effect.peer is None:
            return effect
        if not self._is_member(effect.peer):
            seen = Seen(None, f"{effect.peer} is no member yet; when it is: hostmuster verify --deep")
            return replace(effect, ask=("true",), judge=lambda _: seen, may_wait=True)
        if effect.peer not in self.differences:
            return effect
        return replace(effect, judge=lambda answer: _excused(effect.judge(answer), effect.peer), may_wait=True)

    def _is_member(self, name: str) -> bool:
        """Whether the host lets the automation user in. One that does not answer is a member that is down."""
        self._look.get()
        visit = self._visits.get(name)
        return visit is not None and not (visit.outcome.error or "").startswith(REFUSED_LOGIN)

    @property
    def held(self) -> dict[str, Held | None]:
        """By member, its generation of secrets. Raises HostFailed for a member that does not tell."""
        self._look.get()
        held = {}
        for name, visit in self._visits.items():
            if visit.seen is not None:
                held[name] = Held.parse(visit.seen[HELD] or "")
            elif self._is_member(name):
                raise HostFailed("which secrets the fleet has is not known while it does not answer", where=name)
        return held

    @property
    def differences(self) -> dict[str, list[str]]:
        """By member, what an apply would change there."""
        self._look.get()
        plans = {name: visit.plan for name, visit in self._visits.items()}
        differing = {name: [str(d) for item in plan.changes for d in item.differences] for name, plan in plans.items()}
        return {name: found for name, found in differing.items() if found}


def _excused(seen: Seen, peer: str | None) -> Seen:
    """What a neighbour refuses that has not heard of the host is no failure yet."""
    return seen if seen.ok else Seen(None, f"{seen.seen}; {peer} does not know this host yet: hostmuster apply")
