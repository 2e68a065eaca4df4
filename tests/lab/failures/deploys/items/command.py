"""A command that a trial wants run on the hosts, once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict

from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.resources.resource import Difference, Observation, Question, Resource
from hostmuster.resources.stat import STAT, Stat
from hostmuster.resources.step import Run, Step


class Settings(BaseModel):
    """`argv` empty: nothing is run. What is not done within `limit_s` hangs. `breaks`: what of the kind raises."""

    model_config = ConfigDict(extra="forbid")

    argv: tuple[str, ...] = ()
    limit_s: int = 300
    breaks: Literal["", "compare", "steps"] = ""


ITEM = Item("command", settings=Settings)
DONE = "/srv/trial/done"


@dataclass(frozen=True)
class Command:
    """Differs until it was run to its end."""

    argv: tuple[str, ...]
    limit_s: int
    breaks: str = ""
    risky: bool = False

    @property
    def id(self) -> str:
        """The one of its kind."""
        return "command"

    @property
    def claim(self) -> str:
        """The id."""
        return self.id

    def questions(self) -> Iterator[Question]:
        """Whether it has been run."""
        yield Question(STAT, DONE)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Not run yet."""
        if self.breaks == "compare":
            raise KeyError(DONE)
        if Stat.of(seen, DONE) is None:
            yield Difference(self.id, "state", "not run", "run")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """The command, and the file that says so."""
        if self.breaks == "steps":
            raise ValueError(self.argv)
        yield Run(self.argv, limit_s=self.limit_s)
        yield Run(("touch", DONE))


def resources(host: Host) -> Iterator[Resource]:
    """The command, where there is one."""
    want = cast("Settings", host.settings("command"))
    if want.argv:
        yield Command(want.argv, want.limit_s, want.breaks)


def effects(host: Host) -> Iterator[Effect]:
    """None: the trials look for themselves."""
    yield from ()
