"""A run over many hosts: all are looked at, changed in batches, then proved; one greenlet a host."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hostmuster.engine.batches import Batches
from hostmuster.engine.record import Record
from hostmuster.engine.saved_plan import SavedPlan
from hostmuster.engine.source import Source
from hostmuster.engine.standing_still import require_left_halted
from hostmuster.engine.tenure import each, give_back, renewed, take
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostFailed, RefusedByHosts

__all__ = ["Batches", "apply", "each", "look"]

ROUNDS = 3
"""Changes that only a changed host shows (a key that must exist before it is signed) take a second round."""


def look(visits: Sequence[Visit], act: Callable[[Visit], None] = Visit.look) -> None:
    """Looks at every host, for a run that changes nothing. Raises Refused for a state that is newer than this tree."""
    each(visits, act)
    newer = [visit.hold.refused for visit in visits if visit.hold.refused is not None]
    if newer:
        raise newer[0] if len(newer) == 1 else RefusedByHosts(newer)


def apply(
    visits: Sequence[Visit],
    batches: Batches,
    record: Record,
    *,
    saved: SavedPlan | None,
    source: Source | None,
    admit: Callable[[Sequence[Visit]], None] | None = None,
) -> None:
    """Makes the hosts as declared (DESIGN.md, The engine: 2 to 7). Raises Refused before anything is touched.

    `admit`: raises it, for what the hosts' plans say is to be done.
    """
    cut = batches.over(visits)
    try:
        take(visits)
        seen = [visit for visit in visits if visit.state is not None]
        if saved is not None:
            saved.require({visit.host.name: visit.plan for visit in seen})
        for visit in seen:
            if source is not None and visit.state is not None:
                source.require_not_older(visit.host.name, visit.state.applied)
        require_left_halted([(visit.host, visit.plan, visit.state) for visit in seen if visit.state is not None])
        if admit is not None:
            admit(seen)
        applied = source.revision if source is not None else None
        with renewed(visits, 1.0):
            _in_turn(cut, batches, record, applied, 1 if saved is not None else ROUNDS)
        each(visits, lambda visit: visit.transactions.sweep())
    finally:
        # A run that is interrupted begins nothing more, and waits for what is under way on its hosts.
        for visit in visits:
            visit.hold.interrupted = True
        give_back(visits)
    for visit in visits:
        for outcome in visit.outcome.items.values():
            record.item(visit.host.name, outcome)


def _in_turn(cut: list[list[Visit]], batches: Batches, record: Record, applied: str | None, rounds: int) -> None:
    gone: list[Visit] = []
    for batch in cut:
        if gone and batches.stops(gone):
            for visit in batch:
                visit.outcome.skip(visit.plan.changes, "a batch before it failed")
        else:
            make_so([visit for visit in batch if visit.alive], record, applied, rounds)
        gone += batch


def make_so(batch: Sequence[Visit], record: Record, applied: str | None, rounds: int = ROUNDS) -> None:
    """Changes the hosts of a batch, pays what they owe one host after the other, looks again, and proves them."""
    converge(batch, rounds)
    entering = [visit for visit in batch if visit.is_at_gate]
    # A line may hold only once what it owes is paid.
    roll([visit for visit in entering if visit.debts.owed])
    each([visit for visit in entering if visit.is_at_gate], Visit.enter_service)
    converge([visit for visit in entering if visit.gate.admitted], rounds)
    roll([visit for visit in batch if visit.debts.owed and visit.alive])
    each(batch, lambda visit: visit.prove(applied=applied))


def converge(batch: Sequence[Visit], rounds: int) -> None:
    """Changes the hosts, round by round, until nothing differs that may be changed now."""
    changing = [visit for visit in batch if visit.alive and visit.due]
    for _ in range(rounds):
        if not changing:
            break
        each(changing, Visit.change)
        changing = [visit for visit in changing if visit.alive and not visit.stopped]
        each(changing, Visit.look_again)
        changing = [visit for visit in changing if visit.alive and visit.due]
    for visit in changing:
        visit.unsettled()


def roll(owing: Sequence[Visit]) -> None:
    """Pays what hosts owe, one after the other. Where one does not come back, the others keep what they run with."""
    lost = ""
    for visit in owing:
        if lost:
            what = f"what it owes is not paid: {lost} did not come back from its own restart"
            visit.fail(HostFailed(what, where=visit.host.name, remedy=f"see to {lost}, then apply again"))
            continue
        each([visit], lambda one: one.debts.pay())
        if not visit.alive:
            lost = visit.host.name
