"""A file that narrows access: put only once every declared key has logged in anew (O7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.resources.content import CONTENT
from hostmuster.resources.file import File
from hostmuster.resources.login import PROVED, Login, forgotten, memory, missing
from hostmuster.resources.resource import Difference, Observation, Question
from hostmuster.resources.stat import Stat
from hostmuster.resources.step import Put, Step


@dataclass(frozen=True)
class AfterLogins:
    """`file` once all `logins` are proved; never again without it after that, whoever is declared later.

    `at_once`: the operator says so; nothing is waited for.
    """

    file: File
    logins: tuple[Login, ...]
    at_once: bool = False
    risky: bool = True

    @property
    def id(self) -> str:
        """The file's."""
        return self.file.id

    @property
    def claim(self) -> str:
        """The file's."""
        return self.file.claim

    def questions(self) -> Iterator[Question]:
        """The file, the logins, and what is remembered of them."""
        yield from self.file.questions()
        yield from (login.question for login in self.logins)
        yield Question(CONTENT, PROVED)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Nothing while a login is missing and nothing was narrowed yet."""
        if not self._narrows(seen):
            return
        yield from self.file.compare(seen)
        if self._forgotten(seen):
            yield Difference(f"file {PROVED}", "content", "other logins", "those that are proved")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """What is proved is remembered with the narrowing, in one transaction."""
        if self._forgotten(seen):
            yield Put(PROVED, memory(self.logins), "0644", "root", "root")
        if any(self.file.compare(seen)):
            yield from self.file.steps(seen)

    def _narrows(self, seen: Observation) -> bool:
        return self.at_once or Stat.of(seen, self.file.path) is not None or not missing(self.logins, seen)

    def _forgotten(self, seen: Observation) -> bool:
        return not missing(self.logins, seen) and forgotten(self.logins, seen)
