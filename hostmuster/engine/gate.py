"""The gate of service: what must hold on a host before the first item of its checklist that serves is begun."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hostmuster.engine import effects
from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.effects import Judged
from hostmuster.engine.plan import HostPlan, ItemPlan
from hostmuster.item import Effect, Seen
from hostmuster.model.fleet import Host


class Gate:
    """Shut until `admit`; of no consequence on a host that serves already. `deep`: the costly effects count, too."""

    def __init__(self, compiled: Sequence[Compiled], host: Host, *, deep: bool = False) -> None:
        before = next((part.before for part in compiled if part.item.serves), ())
        required = (part for part in before if host.requires(part.item.name))
        # What is seen of the service itself cannot hold before it runs.
        self.conditions = [pair for pair in effects.wanted(required, deep=deep) if not pair[1].of_service]
        self.admitted = False
        self.reason = ""
        """Why it is shut, once it was asked."""
        self._held: frozenset[str] = frozenset()

    def askable(self, effects: Iterable[tuple[str, Effect]]) -> list[tuple[str, Effect]]:
        """The effects; while it is shut, those of what was not begun and of the service are not run."""
        shut = bool(self.reason)
        return [(i, _idle(e, self.reason) if shut and (e.of_service or i in self._held) else e) for i, e in effects]

    def holds_back(self, plan: HostPlan) -> tuple[ItemPlan, ...]:
        """The changes that wait for it."""
        return () if self.admitted else tuple(part for part in plan.changes if part.item in plan.at_gate)

    def admit(self, judged: Iterable[Judged], waiting: Iterable[ItemPlan]) -> bool:
        """Whether every condition holds; one that cannot be run yet is none where its effect says that it may wait."""
        shut = next((j for j in judged if not (j.seen.ok or (j.seen.ok is None and j.effect.may_wait))), None)
        self.admitted = shut is None
        self._held = frozenset(part.item for part in waiting)
        self.reason = "" if shut is None else f"nothing enters service until {shut.item} holds: {shut}"
        return self.admitted


def _idle(effect: Effect, why: str) -> Effect:
    return replace(effect, ask=("true",), judge=lambda _: Seen(None, why))
