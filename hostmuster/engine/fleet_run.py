"""A run over many hosts: all are looked at, changed in batches, then proved; one greenlet a host."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from gevent.pool import Pool

from hostmuster.engine.record import Record
from hostmuster.engine.saved_plan import SavedPlan
from hostmuster.engine.source import Source
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostmusterError, Refused, RefusedByHosts

HOSTS_AT_ONCE = 100
ROUNDS = 3
"""Changes that only a changed host shows (a key that must exist before it is signed) take a second round."""


@dataclass(frozen=True)
class Batches:
    """`canary` goes first and alone; then `size` hosts at a time (None: all); stop once `failures` hosts failed."""

    canary: str | None = None
    size: int | None = None
    failures: int = 1

    def over(self, visits: Sequence[Visit]) -> Iterator[list[Visit]]:
        """The batches, in the fleet's order."""
        first = [visit for visit in visits if visit.host.name == self.canary]
        if first:
            yield first
        rest = [visit for visit in visits if visit.host.name != self.canary]
        size = self.size or max(len(rest), 1)
        yield from (rest[start : start + size] for start in range(0, len(rest), size))


def each(visits: Iterable[Visit], act: Callable[[Visit], None]) -> None:
    """Does it on all hosts at once; a host that fails fails alone."""

    def one(visit: Visit) -> None:
        try:
            act(visit)
        except HostmusterError as error:
            visit.fail(error)

    pool = Pool(HOSTS_AT_ONCE)
    # raise_error: what is not of our error tree is a defect of ours, and no host's failure.
    for greenlet in [pool.spawn(one, visit) for visit in visits if visit.alive]:
        greenlet.get()


def look(visits: Sequence[Visit]) -> None:
    """Looks at every host. Raises Refused, leases given back, when one of them is held by another run or frozen."""
    each(visits, Visit.look)
    refused = [visit.refused for visit in visits if visit.refused is not None]
    frozen = [visit for visit in visits if visit.state is not None and visit.state.frozen]
    refused += [
        Refused(
            "it is frozen for maintenance",
            where=v.host.name,
            remedy=f"`hostmuster thaw {v.host.name}` first, or leave it out with --limit",
        )
        for v in frozen
    ]
    if refused:
        let_go(visits)
        raise refusal_of(refused)


def refusal_of(errors: Sequence[HostmusterError]) -> HostmusterError:
    """One error for what several hosts refused."""
    if len(errors) == 1:
        return errors[0]
    return RefusedByHosts(errors)


def let_go(visits: Iterable[Visit]) -> None:
    """Gives every lease back that was taken."""
    each([visit for visit in visits if visit.state is not None], Visit.release)


def apply(
    visits: Sequence[Visit],
    batches: Batches,
    record: Record,
    *,
    saved: SavedPlan | None,
    source: Source | None,
) -> None:
    """Makes the hosts as declared (DESIGN.md, The engine: 2 to 7)."""
    look(visits)
    try:
        if saved is not None:
            saved.require({visit.host.name: visit.plan for visit in visits if visit.state is not None})
        for visit in visits:
            if source is not None and visit.state is not None:
                source.require_not_older(visit.host.name, visit.state.applied)
    except Refused:
        let_go(visits)
        raise
    applied = source.revision if source is not None else None
    failures = sum(not visit.alive for visit in visits)
    for batch in batches.over([visit for visit in visits if visit.alive]):
        if failed_since(visits, failures) >= batches.failures:
            for visit in batch:
                visit.outcome.skip(visit.plan.changes, "a batch before it failed")
            each(batch, Visit.release)
            continue
        make_so(batch, record, applied)
    for visit in visits:
        for outcome in visit.outcome.items.values():
            record.item(visit.host.name, outcome)


def failed_since(visits: Iterable[Visit], before: int) -> int:
    """Hosts that failed in the batches so far; those that were down from the start stop nobody."""
    return sum(visit.outcome.exit == 1 for visit in visits) - before


def make_so(batch: Sequence[Visit], record: Record, applied: str | None) -> None:
    """Changes the hosts of a batch, pays what they owe one host after the other, looks again, and proves them."""
    changing = [visit for visit in batch if visit.plan.changes]
    for _ in range(ROUNDS):
        if not changing:
            break
        each(changing, Visit.change)
        changing = [visit for visit in changing if visit.alive and not visit.stopped]
        each(changing, Visit.look_again)
        changing = [visit for visit in changing if visit.alive and visit.plan.changes]
    for visit in changing:
        visit.unsettled()
    for visit in batch:
        if visit.owes:
            each([visit], Visit.pay)
    each(batch, lambda visit: visit.prove(applied=applied))
