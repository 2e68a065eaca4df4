"""A line of the checklist on one host, after everything was tried: ok, failed or not_run, with what was seen."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.outcome import ItemOutcome


@dataclass(frozen=True)
class Line:
    """`text` is the line as the checklist has it. Nobody having run it is not_run, never ok."""

    item: str
    text: str
    status: Literal["ok", "failed", "not_run"]
    seen: tuple[str, ...]

    def document(self) -> dict[str, object]:
        """Its part of the run's document."""
        return asdict(self) | {"seen": "\n".join(self.seen)}

    @classmethod
    def of(cls, part: Compiled, outcome: ItemOutcome | None, why_not: str) -> Line:
        """From how the item ended; `why_not` says why nothing is known of it where it has no outcome."""
        name, text = part.item.name, part.text
        if outcome is None:
            return cls(name, text, "not_run", (why_not,))
        effects = tuple(f"{one.effect.name}: {one.seen.seen}" for one in outcome.effects)
        match outcome.status:
            case "failed":
                broken = tuple(f"{e.effect.name}: {e.seen.seen}" for e in outcome.effects if e.seen.ok is False)
                return cls(name, text, "failed", broken or tuple(filter(None, [outcome.reason])))
            case "skipped":
                return cls(name, text, "not_run", tuple(filter(None, [outcome.reason])))
            case "differs":
                return cls(name, text, "not_run", ("it is only observed, and differs", *outcome.differences))
        if any(one.seen.ok is None for one in outcome.effects):
            return cls(name, text, "not_run", effects)
        return cls(name, text, "ok", effects or ("as declared",))
