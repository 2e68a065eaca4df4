"""Which hosts are changed together, and when a run stops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hostmuster.engine.visit import Visit
from hostmuster.errors import Refused


@dataclass(frozen=True)
class Batches:
    """`canary` goes first and alone; then `size` hosts at a time (None: all); stop once `failures` hosts failed."""

    canary: str | None = None
    size: int | None = None
    failures: int = 1

    def over(self, visits: Sequence[Visit]) -> list[list[Visit]]:
        """The batches, in the fleet's order. Raises Refused when the canary is none of the hosts."""
        first = [visit for visit in visits if visit.host.name == self.canary]
        if self.canary is not None and not first:
            remedy = "name it in --limit too, or choose another"
            raise Refused(f"the canary {self.canary} is none of this run's hosts", where="--canary", remedy=remedy)
        return list(self._cut(first, [visit for visit in visits if visit.host.name != self.canary]))

    def _cut(self, first: list[Visit], rest: list[Visit]) -> Iterator[list[Visit]]:
        if first:
            yield first
        size = self.size or max(len(rest), 1)
        yield from (rest[start : start + size] for start in range(0, len(rest), size))

    def stops(self, gone: Sequence[Visit]) -> bool:
        """Whether enough of the hosts whose batches are over have failed. One that cannot be reached has failed."""
        return sum(visit.outcome.exit == 1 for visit in gone) >= self.failures
