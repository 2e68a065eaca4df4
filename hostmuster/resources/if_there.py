"""A file with another content where there is one; where there is none, none is made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.resources.file import File
from hostmuster.resources.resource import Difference, Observation, Question
from hostmuster.resources.stat import Stat
from hostmuster.resources.step import Step


@dataclass(frozen=True)
class IfThere:
    """`file` as it is to be, if its path is taken."""

    file: File

    @property
    def id(self) -> str:
        """The file's."""
        return self.file.id

    @property
    def claim(self) -> str:
        """The file's."""
        return self.file.claim

    @property
    def risky(self) -> bool:
        """As the file."""
        return self.file.risky

    def questions(self) -> Iterator[Question]:
        """The file's."""
        yield from self.file.questions()

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Nothing where nothing lies."""
        if Stat.of(seen, self.file.path) is not None:
            yield from self.file.compare(seen)

    def steps(self, seen: Observation) -> Iterator[Step]:
        """The file's."""
        yield from self.file.steps(seen)
