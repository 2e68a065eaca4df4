"""The name by which the running kernel calls its host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.resources.content import CONTENT
from hostmuster.resources.resource import Difference, Observation, Question
from hostmuster.resources.step import Run, Step

RUNNING = "/proc/sys/kernel/hostname"


@dataclass(frozen=True)
class Hostname:
    """What `hostname` says. The name that the next boot takes is a File, /etc/hostname."""

    name: str
    risky: bool = False

    @property
    def id(self) -> str:
        """`running hostname`: a host has one."""
        return "running hostname"

    @property
    def claim(self) -> str:
        """The id."""
        return self.id

    def questions(self) -> Iterator[Question]:
        """The kernel's own word (proc_sys_kernel(5))."""
        yield Question(CONTENT, RUNNING)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Changed by hand, or not yet told of a new /etc/hostname."""
        have = seen[Question(CONTENT, RUNNING)]
        if have != self.name:
            yield Difference(self.id, "name", have or "none", self.name)

    def steps(self, seen: Observation) -> Iterator[Step]:
        """Only the running name; a revert gives back the one that was found."""
        have = seen[Question(CONTENT, RUNNING)]
        yield Run(("hostname", self.name), undo=("hostname", have) if have else ())
