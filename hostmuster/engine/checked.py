"""A line of the checklist on one host, after everything was tried: ok, failed or not_run, with what was seen."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.outcome import ItemOutcome

LineStatus = Literal["ok", "failed", "not_run"]


@dataclass(frozen=True)
class Line:
    """`text` is the line as the checklist has it. Nobody having run it is not_run, never ok."""

    item: str
    text: str
    status: LineStatus
    seen: tuple[str, ...]

    def document(self) -> dict[str, object]:
        """Its part of the run's document."""
        return asdict(self) | {"seen": "\n".join(self.seen)}

    @classmethod
    def of(cls, part: Compiled, outcome: ItemOutcome | None, error: str | None) -> Line:
        """From how the item ended, and why its host failed as a whole: what was not proved by then is not ok."""
        status, seen = _judged(outcome, error)
        return cls(part.item.name, part.text, status, seen)


def _judged(outcome: ItemOutcome | None, error: str | None) -> tuple[LineStatus, tuple[str, ...]]:
    if outcome is None:
        return "not_run", (error or "the run did not come to it",)
    broken = tuple(map(str, (one for one in outcome.effects if one.seen.ok is False)))
    if outcome.status == "failed":
        told = outcome.reason if outcome.reason != "; ".join(broken) else None
        return "failed", tuple(filter(None, [told, *broken]))
    if outcome.status == "skipped":
        return "not_run", tuple(filter(None, [outcome.reason]))
    if error is not None:
        return "not_run", (error,)
    if outcome.status == "differs":
        return "not_run", ("it is only observed, and differs", *outcome.differences)
    effects = tuple(map(str, outcome.effects))
    if any(one.seen.ok is None for one in outcome.effects):
        return "not_run", effects
    return "ok", effects or ("as declared",)
