"""A user that is no more, with the home that was made for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation, Question
from hostmuster.resources.step import Keep, Run, Step
from hostmuster.resources.user import ACCOUNT_FILES, PASSWD, NamedUser


@dataclass(frozen=True)
class NoUser(NamedUser):
    """Even while it is logged in: its session goes on, and no other begins."""

    risky: bool = False

    def questions(self) -> Iterator[Question]:
        """Its passwd line."""
        yield Question(PASSWD, self.name)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Present."""
        if seen[Question(PASSWD, self.name)] is not None:
            yield Difference(self.id, "presence", "a user", "nobody")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """userdel; the account files are kept first, to go back to."""
        yield from map(Keep, ACCOUNT_FILES)
        yield Run(("userdel", "--force", self.name))
