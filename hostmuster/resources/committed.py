"""That a host has a generation of secrets; which one, and what is in it, is the rollout's business alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.resources.content import CONTENT
from hostmuster.resources.link import Link
from hostmuster.resources.resource import Difference, Observation, Question
from hostmuster.resources.step import Blocked, Step
from hostmuster.secrets.generation import IDENTITY, Held
from hostmuster.secrets.reader import CURRENT
from hostmuster.secrets.start_gate import ANNOUNCED

HELD = Question(CONTENT, f"{CURRENT}/{IDENTITY}")


@dataclass(frozen=True)
class Committed:
    """Some generation is there, for readers that would not start without one. `secrets`: what they read."""

    secrets: tuple[str, ...] = ()
    risky: bool = False

    @property
    def id(self) -> str:
        """`generation of secrets`."""
        return "generation of secrets"

    @property
    def claim(self) -> str:
        """The id."""
        return self.id

    def questions(self) -> Iterator[Question]:
        """Which one it is, and whether the host says so."""
        yield HELD
        yield from Link(ANNOUNCED, "").questions()

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """None at all; or its number, which a rollout tells the other hosts, is another one."""
        held = Held.parse(seen[HELD] or "")
        if held is None:
            yield Difference(self.id, "presence", "none", "the fleet's")
        else:
            yield from Link(ANNOUNCED, str(held.number)).compare(seen)

    def steps(self, seen: Observation) -> Iterator[Step]:
        """An apply never writes secrets."""
        held = Held.parse(seen[HELD] or "")
        if held is None:
            yield Blocked("this host has no secrets yet: `hostmuster secrets.rollout` brings them, then apply again")
        else:
            yield from Link(ANNOUNCED, str(held.number)).steps(seen)
