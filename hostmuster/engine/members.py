"""The hosts that are members of a fleet already, looked at while another one becomes one."""

from __future__ import annotations

import gevent

from hostmuster.engine import fleet_run
from hostmuster.engine.connection import connections
from hostmuster.engine.opening import Opening
from hostmuster.engine.record import Record
from hostmuster.engine.visit import Visit
from hostmuster.model.fleet import Host
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

    def is_member(self, name: str) -> bool:
        """Whether the host lets the automation user in. One that does not answer is a member that is down."""
        self._look.get()
        visit = self._visits.get(name)
        return visit is not None and not (visit.outcome.error or "").startswith(REFUSED_LOGIN)

    @property
    def differences(self) -> dict[str, list[str]]:
        """By member, what an apply would change there."""
        self._look.get()
        plans = {name: visit.plan for name, visit in self._visits.items()}
        differing = {name: [str(d) for item in plan.changes for d in item.differences] for name, plan in plans.items()}
        return {name: found for name, found in differing.items() if found}
