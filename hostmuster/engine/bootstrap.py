"""First contact: as root on a bare host, once; after it nothing falls back to root."""

from __future__ import annotations

from collections.abc import Iterable

from paramiko import PKey

from hostmuster.engine import fleet_run
from hostmuster.engine.access import Access
from hostmuster.engine.automation import automation
from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.connection import Connection, connections
from hostmuster.engine.lease import Lease
from hostmuster.engine.opening import Opening
from hostmuster.engine.record import Record
from hostmuster.engine.signer import Signer
from hostmuster.engine.visit import Visit
from hostmuster.item import Item

ITEM = Item("bootstrap")
TEXT = "The automation user logs in with its key and may use sudo."


def bootstrap(opening: Opening, record: Record, root_key: PKey | None) -> list[Visit]:
    """Makes the automation user on every host of the job that does not know it yet, and proves it by its own login.

    `root_key` None: root's login uses the operator's agent and key files.
    """
    # Quietly: a bare host refuses this login, as it should.
    known = _visits(connections(opening.hosts, opening.access()).values(), None, record.quiet(), opening.signer)
    fleet_run.each(known, Visit.look)
    bare = {visit.host.name for visit in known if not visit.alive or _half_made(visit)}
    for visit in known:
        visit.close()
    as_root = Access(opening.known_hosts, key=root_key, user="root")
    ways = connections([host for host in opening.hosts if host.name in bare], as_root)
    made = _visits(ways.values(), opening.lease, record, opening.signer)
    fleet_run.apply(made, fleet_run.Batches(), record, saved=None, source=None)
    for visit in made:
        visit.close()
    ways = connections([visit.host for visit in made if visit.alive], opening.access())
    proved = _visits(ways.values(), None, record, opening.signer)
    fleet_run.each(proved, Visit.look)
    outcomes = {visit.host.name: visit for visit in [*known, *made]}
    for visit in proved:
        if not visit.alive:
            outcomes[visit.host.name] = visit
        visit.close()
    return [outcomes[host.name] for host in opening.hosts]


def _half_made(visit: Visit) -> bool:
    """Whether a bootstrap that died is still open there: it reverts, and with it this login, so root begins anew."""
    return visit.state is not None and visit.state.change.split(" ")[-1] == ITEM.name


def _visits(ways: Iterable[Connection], lease: Lease | None, record: Record, signer: Signer) -> list[Visit]:
    return [Visit(_part(way), way, lease, record, signer) for way in ways]


def _part(way: Connection) -> tuple[Compiled, ...]:
    return (Compiled(ITEM, TEXT, tuple(automation(way.host)), ()),)
