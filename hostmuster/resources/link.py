"""A symbolic link."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation, Question
from hostmuster.resources.stat import STAT, Stat, in_the_way
from hostmuster.resources.step import PutLink, Step


@dataclass(frozen=True)
class Link:
    """A symbolic link at `path`, holding `target` as written."""

    path: str
    target: str
    risky: bool = False

    @property
    def id(self) -> str:
        """`link PATH`."""
        return f"link {self.path}"

    @property
    def claim(self) -> str:
        """The path."""
        return self.path

    def questions(self) -> Iterator[Question]:
        """What lies there."""
        yield Question(STAT, self.path)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Missing, something else, or another target."""
        stat = Stat.of(seen, self.path)
        if stat is None or stat.kind != "symbolic link":
            yield Difference(self.id, "presence", "missing" if stat is None else f"a {stat.kind}", "a link")
        elif stat.target != self.target:
            yield Difference(self.id, "target", stat.target, self.target)

    def steps(self, seen: Observation) -> Iterator[Step]:
        """The link anew, by rename."""
        yield from in_the_way(self.path, Stat.of(seen, self.path))
        yield PutLink(self.path, self.target)
