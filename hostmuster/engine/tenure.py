"""All hosts of a run held together: leased or none, renewed while they wait, given back whatever ends the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import gevent
from gevent.event import Event
from gevent.pool import Pool

from hostmuster.engine.lease import LeaseHeld
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostmusterError, Refused, RefusedByHosts

HOSTS_AT_ONCE = 100
STAND_BACK_S = 1.5
"""Of two runs that began at once, the one that is to go on waits so long for the other to see that, and let go."""


def each(visits: Iterable[Visit], act: Callable[[Visit], None]) -> None:
    """Does it on all hosts at once; a host that fails fails alone."""

    def one(visit: Visit) -> None:
        try:
            act(visit)
        except HostmusterError as error:
            visit.fail(error)

    pool = Pool(HOSTS_AT_ONCE)
    # get: what is not of our error tree is a defect of ours, and no host's failure.
    for greenlet in [pool.spawn(one, visit) for visit in visits if visit.alive]:
        greenlet.get()


def take(visits: Sequence[Visit]) -> None:
    """Looks at every host, taking its lease. What a dead run left open is settled once all have given theirs.

    Raises Refused, leases given back, when another run holds one of them or one is frozen.
    """
    each(visits, Visit.look)
    refused = refusals(visits)
    if refused and all(isinstance(error, LeaseHeld) and _yields(visits, error) for error in refused):
        give_back(visits)
        gevent.sleep(STAND_BACK_S)
        for visit in visits:
            visit.hold.refused = None
        each(visits, Visit.look)
        refused = refusals(visits)
    if refused:
        give_back(visits)
        raise refused[0] if len(refused) == 1 else RefusedByHosts(refused)
    each([visit for visit in visits if visit.state is not None and visit.state.change], Visit.settle)


def refusals(visits: Iterable[Visit]) -> list[HostmusterError]:
    """Why hosts may not be touched."""
    found = []
    for visit in visits:
        if visit.hold.refused is not None:
            found.append(visit.hold.refused)
        elif visit.state is not None and visit.state.frozen:
            name = visit.host.name
            remedy = f"`hostmuster thaw {name}` first, or leave it out with --limit"
            what = f"it is frozen for maintenance ({visit.state.frozen})"
            found.append(Refused(what, where=name, remedy=remedy))
    return found


def _yields(visits: Sequence[Visit], held: LeaseHeld) -> bool:
    return any(visit.hold.lease.goes_before(held) for visit in visits if visit.hold.lease)


@contextmanager
def renewed(visits: Sequence[Visit], every_s: float) -> Iterator[None]:
    """While it holds, the hosts that wait for others have their leases renewed."""
    over = Event()

    def keep() -> None:
        while not over.wait(every_s):
            each(visits, lambda visit: visit.hold.renew())

    keeper = gevent.spawn(keep)
    try:
        yield
    finally:
        over.set()
        keeper.join()


def give_back(visits: Iterable[Visit]) -> None:
    """Gives back every lease that this run still has, also on a host that failed; not where nobody can be reached."""

    def one(visit: Visit) -> None:
        try:
            visit.hold.release()
        except HostmusterError as error:
            visit.regret(error)

    Pool(HOSTS_AT_ONCE).map(one, list(visits))
