"""The store's state becomes what all hosts of a fleet serve with (DESIGN.md, "Secrets": rollout)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from hostmuster.engine.automation import AUTOMATION_KEY
from hostmuster.engine.exclusion import require_silent, serves_nothing
from hostmuster.engine.fleet_run import roll
from hostmuster.engine.opening import Opening
from hostmuster.engine.plan import ItemPlan
from hostmuster.engine.preflight import require_shared
from hostmuster.engine.record import Record
from hostmuster.engine.tenure import give_back, renewed, take
from hostmuster.engine.two_phase import AGAIN, TwoPhase
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostFailed, Refused
from hostmuster.model.fleet import Host
from hostmuster.onhost.program import line
from hostmuster.resources.committed import HELD
from hostmuster.resources.step import Owe
from hostmuster.secrets.generation import Generation, Held, Readers, of_store
from hostmuster.secrets.reader import CURRENT, readers_of

Holdings = Mapping[str, Held | None]


def rollout(opening: Opening, record: Record) -> dict[str, object]:
    """Stages on all hosts, verifies on all, switches on all at once, and restarts one service after another.

    Raises Refused before anything is touched: a host that cannot be reached, a state that may not serve beside the
    one that is there, a value that no reader can be given. Raises HostFailed where it did not come about: every host
    has then what it had.
    """
    if opening.job.limit is not None:
        remedy = "leave out --limit: what differs between hosts is what it is there to end"
        raise Refused("a rollout is for the whole fleet", where="--limit", remedy=remedy)
    require_shared(opening)
    generation, readers = wanted(opening)
    with whole_fleet(opening, record) as visits:
        return _roll_out(visits, generation, readers, record)


def wanted(opening: Opening) -> tuple[Generation, Mapping[str, Readers]]:
    """What the store says now, and who reads it: the same whoever is left out of the run."""
    readers = {host.name: readers_of(host) for host in opening.fleet.hosts.values()}
    generation = of_store(opening.store, readers, AUTOMATION_KEY)
    return replace(generation, excluded=tuple(sorted(opening.job.exclude))), readers


@contextmanager
def whole_fleet(opening: Opening, record: Record) -> Iterator[list[Visit]]:
    """Every host in this run's hands, looked at, but for those it is made without.

    Raises Refused where one cannot be reached or is another run's, and where one that is left out answers.
    """
    require_silent(opening)
    visits = opening.visits(record, lease=True)
    try:
        take(visits)
        _require_all(visits)
        with renewed(visits, 1.0):
            yield visits
    finally:
        for visit in visits:
            visit.hold.interrupted = True
        give_back(visits)
        for visit in visits:
            visit.close()


def join(opening: Opening, host: Host, held: Holdings, record: Record) -> None:
    """A new member gets the generation that the others have; the first one of a fleet begins it.

    Where the store is ahead of them nothing is done, and the item secrets says what brings all to one state.
    """
    generation, readers = wanted(opening)
    known = [one for one in held.values() if one is not None]
    if any(one.identity != generation.identity for one in known):
        record.warning(f"the store is ahead of the members' generation: {host.name} gets it by secrets.rollout")
        return
    (visit,) = opening.visits(record, lease=True)
    try:
        take([visit])
        _require_all([visit])
        # As the members have it, without whomever they were brought it without.
        generation = replace(generation, excluded=known[0].excluded if known else ())
        phases = TwoPhase(generation, known[0].number if known else 1, readers, record)
        phases.stage([visit])
        if ((visit.seen and Held.parse(visit.seen[HELD] or "")) or _NONE).number != phases.number:
            phases.switch([visit], lambda _visit: phases.number)
    finally:
        give_back([visit])
        visit.close()


def restart(opening: Opening, record: Record, host: str, unit: str) -> None:
    """One service that does not show what its host has. Raises HostFailed where it does not come back."""
    (visit,) = (one for one in opening.visits(record, lease=True) if one.host.name == host)
    try:
        take([visit])
        _require_all([visit])
        visit.transactions.carry_out(ItemPlan("secrets", (), (Owe(unit),), enforce=True, armed=False))
        visit.debts.pay()
    finally:
        give_back([visit])
        visit.close()


_BACK = "bring them back; or go on without: --exclude HOST, which serves again once it caught up; or offboard"


def _require_all(visits: Sequence[Visit]) -> None:
    lost = {visit.host.name: visit.outcome.error for visit in visits if visit.outcome.error}
    if lost:
        what = "; ".join(f"{name}: {error}" for name, error in lost.items())
        raise Refused(f"not every host can be reached ({what})", remedy=_BACK)


def _roll_out(
    visits: Sequence[Visit], generation: Generation, readers: Mapping[str, Readers], record: Record
) -> dict[str, object]:
    held = {visit.host.name: Held.parse(visit.seen[HELD] or "") if visit.seen else None for visit in visits}
    for visit in visits:
        before = held[visit.host.name]
        if before is not None and (why := generation.obstacle(before)) and not is_left_behind(visit, held):
            what = f"generation {before.number} and the store may not serve together: {why}"
            remedy = "put the store back to what the hosts have (git), then go on step by step: docs/rotation.md"
            raise Refused(what, where=visit.host.name, remedy=remedy)
    number = generation_number(generation, held)
    phases = TwoPhase(generation, number, readers, record)
    phases.stage(visits)
    behind = [visit for visit in visits if (held[visit.host.name] or _NONE).number != number]
    if behind:
        phases.switch(behind, lambda _visit: number)
    roll([visit for visit in visits if visit.debts.owed])
    if lost := [visit for visit in visits if not visit.alive]:
        raise _taken_back(phases, behind, lost, held)
    return _told(visits, number, held)


_NONE = Held(0, "", {}, {})


def is_left_behind(visit: Visit, held: Holdings) -> bool:
    """Whether it came back to hosts that went on without it, and serves nothing until it has what they have."""
    own = held[visit.host.name]
    newest = max(one.number for one in held.values() if one is not None)
    units = tuple(one.unit for one in readers_of(visit.host).values() if not one.reloads)
    return own is not None and own.number < newest and serves_nothing(visit, units)


def generation_number(generation: Generation, held: Holdings) -> int:
    """The one that this state has already on some host, of a rollout that was cut off; else the next one, or that of
    a store that counts its own versions.

    Whoever is left out may have the next one, of a rollout that was cut off before: that number is no other state's.
    """
    known = [one for one in held.values() if one is not None]
    newest = max((one.number for one in known), default=0)
    same = {one.identity for one in known if one.number == newest} == {generation.identity}
    return newest if same else max(newest + (2 if generation.excluded else 1), generation.version)


def _taken_back(phases: TwoPhase, behind: Sequence[Visit], lost: Sequence[Visit], held: Holdings) -> HostFailed:
    why = "; ".join(f"{visit.host.name}: {visit.outcome.error}" for visit in lost)
    numbers = {name: before.number for name, before in held.items() if before is not None}
    before = [visit for visit in behind if visit.host.name in numbers]
    if not before:
        return HostFailed(f"generation {phases.number} is there, but not every service came back: {why}", remedy=AGAIN)
    for visit in lost:
        visit.outcome.error = None
    phases.record.warning("a service did not come back: all hosts go back to the generation before")
    phases.switch(before, lambda visit: numbers[visit.host.name])
    roll([visit for visit in before if visit.debts.owed])
    return HostFailed(f"taken back on all hosts: {why}", remedy=AGAIN)


def _told(visits: Sequence[Visit], number: int, held: Holdings) -> dict[str, object]:
    """Who got what when, by the hosts' clocks (seconds since 1970); the skew is between the first and the last."""
    at = {visit.host.name: _switched_at(visit) for visit in visits}
    hosts = {
        name: {"from": before.number if before else None, "generation": number, "switched_at": at[name]}
        for name, before in held.items()
    }
    now = [at[name] for name, before in held.items() if (before or _NONE).number != number]
    return {"generation": number, "hosts": hosts, "skew_s": round(max(now) - min(now), 6) if now else None}


def _switched_at(visit: Visit) -> float:
    answers = visit.hold.run(line("probe", "at", "stat", "-c", "%.6Y", CURRENT))
    visit.hold.raise_refusal()
    return float(answers["at"].output)
