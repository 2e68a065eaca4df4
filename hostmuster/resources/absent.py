"""A path at which nothing lies: of what a host that leaves the fleet must not keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation, Question
from hostmuster.resources.stat import STAT, Stat
from hostmuster.resources.step import Keep, Run, Step


@dataclass(frozen=True)
class Absent:
    """A file, or a folder with all in it, that is gone.

    `keep`: a revert puts the file back. Not for what holds a secret: no copy is made of that, so it goes forward only.
    """

    path: str
    keep: bool = False
    risky: bool = False

    @property
    def id(self) -> str:
        """`no PATH`."""
        return f"no {self.path}"

    @property
    def claim(self) -> str:
        """The path."""
        return self.path

    def questions(self) -> Iterator[Question]:
        """What lies there."""
        yield Question(STAT, self.path)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Anything at all."""
        stat = Stat.of(seen, self.path)
        if stat is not None:
            yield Difference(self.id, "presence", f"a {stat.kind}", "nothing")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """Removed, and on disk so. What a disk keeps of it below the file system is out of reach."""
        if self.keep:
            yield Keep(self.path)
        yield Run(("rm", "-rf", "--", self.path))
        yield Run(("sync", "--", self.path.rpartition("/")[0] or "/"))
