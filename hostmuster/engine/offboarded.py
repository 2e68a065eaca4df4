"""How an offboarding ended: the host's own parts, a line for each member, and what the host knew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from hostmuster.effects.access import LEFT
from hostmuster.engine import leaving
from hostmuster.engine.checked import Line
from hostmuster.engine.exposure import Exposed
from hostmuster.engine.outcome import HostOutcome, ItemOutcome
from hostmuster.engine.visit import Visit


@dataclass
class Offboarded:
    """How the host ended, the list of what was done, and what it knew."""

    outcome: HostOutcome
    knew: tuple[Exposed, ...]
    lines: list[Line] = field(default_factory=list)

    @property
    def exit(self) -> int:
        """0 where no line failed and the host did its part, or was given up for lost."""
        return 1 if self.outcome.error or any(line.status == "failed" for line in self.lines) else 0

    def document(self) -> dict[str, object]:
        """What it adds to the document of an apply."""
        return {"checklist": [one.document() for one in self.lines], "exposed": [one.document() for one in self.knew]}


def member_line(visit: Visit, host: str) -> Line:
    """How a member stands to the host that left, after all was applied there."""
    outcome, text = visit.outcome, f"It knows {host} no more, and refuses what {host} has."
    failed = [f"{one.item}: {one.reason}" for one in outcome.items.values() if one.status in ("failed", "skipped")]
    if outcome.error or failed:
        return Line(visit.host.name, text, "failed", tuple(filter(None, [outcome.error, *failed])))
    return Line(visit.host.name, text, "ok", tuple(_seen(outcome.items.values())))


def _seen(items: Iterable[ItemOutcome]) -> Iterator[str]:
    changed = [one.item for one in items if one.status == "changed"]
    yield f"changed: {', '.join(changed)}" if changed else "nothing was left to change"
    yield from (str(one) for item in items for one in item.effects if one.effect.name in (LEFT, leaving.FORGOTTEN))
