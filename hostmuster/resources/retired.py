"""A unit that runs no more and is not started at boot; one that was never there is retired, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation
from hostmuster.resources.step import Run, Step
from hostmuster.resources.unit import NamedUnit, properties


@dataclass(frozen=True)
class Retired(NamedUnit):
    """It is stopped as its definition says: asked to drain, and killed once its own stop budget is over."""

    risky: bool = False

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Running in any way, or enabled."""
        now = properties(seen, self.name)
        if now["ActiveState"] not in ("inactive", "failed"):
            yield Difference(self.id, "state", now["ActiveState"], "stopped")
        if now["UnitFileState"].startswith("enabled"):
            yield Difference(self.id, "start at boot", now["UnitFileState"], "disabled")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """Stopped, also where it does not run yet: a host that boots may be about to start it. Then disabled."""
        aspects = [difference.aspect for difference in self.compare(seen)]
        start = ("systemctl", "start", "--", self.name) if "state" in aspects else ()
        yield Run(("systemctl", "stop", "--", self.name), undo=start).patient
        if "start at boot" in aspects:
            enable = ("systemctl", "enable", "--")
            yield Run(("systemctl", "disable", "--"), undo=enable, once="last", operands=(self.name,))
