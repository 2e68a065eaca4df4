"""Effects asked of a host in one exec, and judged here."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import gevent

from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.connection import Connection
from hostmuster.engine.hold import Hold
from hostmuster.errors import Refused
from hostmuster.item import Answer, Effect, Seen
from hostmuster.onhost.answers import Answers
from hostmuster.onhost.program import line

PAUSE_S = 0.5
"""Between two questions about an effect that does not hold yet."""


@dataclass(frozen=True)
class Judged:
    """An effect of an item and what was seen."""

    item: str
    effect: Effect
    seen: Seen

    def __str__(self) -> str:
        return f"{self.effect.name}: {self.seen.seen}"


def wanted(compiled: Iterable[Compiled], *, deep: bool) -> list[tuple[str, Effect]]:
    """The effects to ask for, with their items: the cheap ones, or all."""
    return [(c.item.name, effect) for c in compiled for effect in c.effects if deep or effect.cost == "cheap"]


def program(effects: Iterable[tuple[str, Effect]]) -> str:
    """The lines that ask."""
    return "\n".join(line("probe", f"effect.{n}", *effect.ask) for n, (_, effect) in enumerate(effects))


def judge(effects: Iterable[tuple[str, Effect]], answers: Answers) -> list[Judged]:
    """What the answers say."""
    return [Judged(item, effect, _seen(effect, answers[f"effect.{n}"])) for n, (item, effect) in enumerate(effects)]


def _seen(effect: Effect, answer: Answer) -> Seen:
    """One whose judge raises (foreign.judged) does not hold, and never will."""
    try:
        return effect.judge(answer)
    except Refused as error:
        return Seen(False, f"{error.what}: {error.remedy}", lasts=True)


def settle(connection: Connection, judged: list[Judged]) -> list[Judged]:
    """Asks again for those that do not hold, until they do or their deadline has passed.

    What comes behind one that lasts is not waited for: in the checklist's order, it may depend on it.
    """
    began = time.monotonic()
    held = {id(j.effect): j for j in judged}
    while True:
        waited = time.monotonic() - began
        before = takewhile(lambda j: not j.seen.lasts, (held[id(j.effect)] for j in judged))
        late = [(j.item, j.effect) for j in before if j.seen.ok is False and j.effect.deadline_s > waited]
        if not late:
            return [held[id(j.effect)] for j in judged]
        gevent.sleep(PAUSE_S)
        held.update({id(j.effect): j for j in judge(late, connection.run(program(late)))})


def asked(hold: Hold, effects: Sequence[tuple[str, Effect]], *after: str) -> list[Judged]:
    """One exec for all of them, then `after`; those that do not hold yet are asked again. Raises HostFailed."""
    answers = hold.run(program(effects), *after)
    hold.raise_refusal()
    return settle(hold.connection, judge(effects, answers))


def by_item(judged: Iterable[Judged]) -> Mapping[str, list[Judged]]:
    """Grouped by the name of the item."""
    grouped: dict[str, list[Judged]] = {}
    for one in judged:
        grouped.setdefault(one.item, []).append(one)
    return grouped
