"""A user that is no more, with the home that was made for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation, Question
from hostmuster.resources.step import Keep, Run, Step
from hostmuster.resources.user import PASSWD


@dataclass(frozen=True)
class NoUser:
    """Even while it is logged in: its session goes on, and no other begins."""

    name: str
    risky: bool = False

    @property
    def id(self) -> str:
        """`user NAME`."""
        return f"user {self.name}"

    @property
    def claim(self) -> str:
        """The id."""
        return self.id

    def questions(self) -> Iterator[Question]:
        """Its passwd line."""
        yield Question(PASSWD, self.name)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Present."""
        if seen[Question(PASSWD, self.name)] is not None:
            yield Difference(self.id, "presence", "a user", "nobody")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """userdel; the account files are kept first, to go back to."""
        yield from map(Keep, ("/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow"))
        yield Run(("userdel", "--force", self.name))
