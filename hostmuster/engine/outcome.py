"""How each item stands on each host at the end of a run, and the run's one document (CLI.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from hostmuster.engine.effects import Judged
from hostmuster.engine.plan import HostPlan, ItemPlan

Status = Literal["ok", "changed", "differs", "failed", "skipped", "not_run"]


@dataclass
class ItemOutcome:
    """One item on one host."""

    item: str
    status: Status = "ok"
    differences: list[str] = field(default_factory=list)
    effects: list[Judged] = field(default_factory=list)
    reason: str | None = None
    will: list[str] = field(default_factory=list)
    """What a change of it stops or restarts, with what runs there (K9)."""

    def prove(self, judged: list[Judged]) -> None:
        """Takes the effects in: one that does not hold fails the item, one that could not be run is never ok."""
        self.effects = judged
        broken = [one for one in judged if one.seen.ok is False]
        unrun = [one for one in judged if one.seen.ok is None]
        if self.status in ("failed", "skipped"):
            return
        if broken:
            self.status = "failed"
            self.reason = "; ".join(f"{one.effect.name}: {one.seen.seen}" for one in broken)
        elif unrun and self.status == "ok":
            self.status = "not_run"
            self.reason = "; ".join(f"{one.effect.name}: {one.seen.seen}" for one in unrun)

    def document(self) -> dict[str, object]:
        """Its part of the run's document."""
        effects = [{"name": j.effect.name, "ok": j.seen.ok, "seen": j.seen.seen} for j in self.effects]
        body = {"status": self.status, "differences": self.differences, "effects": effects}
        return body | ({"will": self.will} if self.will else {}) | ({"reason": self.reason} if self.reason else {})


@dataclass
class HostOutcome:
    """One host: its items, or why it failed as a whole."""

    host: str
    items: dict[str, ItemOutcome] = field(default_factory=dict)
    error: str | None = None
    execs: int = 0

    def compare(self, plan: HostPlan) -> None:
        """Takes in what a look at the host found."""
        for part in plan.items:
            outcome = self.items.setdefault(part.item, ItemOutcome(part.item))
            if part.broken:
                self.failed(part.item, part.broken)
            elif outcome.status == "ok" and part.differences:
                outcome.status = "differs"
                outcome.differences = [str(difference) for difference in part.differences]

    def changed(self, part: ItemPlan) -> None:
        """An item's transaction went through."""
        self.items[part.item].status, self.items[part.item].will = "changed", []

    def failed(self, item: str, reason: str) -> None:
        """An item failed; what was to come after it on this host is skipped."""
        self.items[item].status, self.items[item].reason = "failed", reason

    def skip(self, parts: Iterable[ItemPlan], reason: str) -> None:
        """Items with changes that were not begun."""
        for part in parts:
            self.items[part.item].status, self.items[part.item].reason = "skipped", reason

    @property
    def exit(self) -> int:
        """1 failed, 2 differs, 0 as declared."""
        statuses = {outcome.status for outcome in self.items.values()}
        if self.error or statuses & {"failed", "skipped"}:
            return 1
        return 2 if "differs" in statuses else 0

    def document(self) -> dict[str, object]:
        """Its part of the run's document."""
        items = {name: outcome.document() for name, outcome in self.items.items()}
        return {"reachable": self.error is None, "items": items} | ({"error": self.error} if self.error else {})


def document(fleet: str, hosts: Iterable[HostOutcome], seconds: float) -> dict[str, object]:
    """The document of `apply`, `check` and `verify`."""
    listed = list(hosts)
    return {
        "fleet": fleet,
        "hosts": {host.host: host.document() for host in listed},
        "execs": {host.host: host.execs for host in listed},
        "seconds": round(seconds, 3),
    }


def exit_code(hosts: Iterable[HostOutcome]) -> int:
    """The run's exit code: a failure outweighs a difference."""
    codes = {host.exit for host in hosts}
    return 1 if 1 in codes else max(codes, default=0)
