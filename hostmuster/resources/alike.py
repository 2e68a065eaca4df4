"""What hosts of a role must have alike although nobody declares its value (H10, H11)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from hostmuster.resources.resource import Question


def as_said(answer: str | None) -> str | None:
    """The answer itself; a host that gave none is not compared."""
    return answer


@dataclass(frozen=True)
class Alike:
    """One thing, compared by `name` among the hosts of a role that all offer it.

    `question` is asked in the one look at a host. `say` puts its answer into words, None where the host is not to be
    compared. `path`: what it is about, where that is a path: what items write there is theirs to compare.
    `per_release`: only hosts of one Debian release are compared.
    """

    name: str
    question: Question
    say: Callable[[str | None], str | None] = field(default=as_said, compare=False)
    path: str = ""
    per_release: bool = False


class Offering(Protocol):
    """A kind of resource that knows something to be alike beyond what it declares."""

    def alike(self) -> Iterator[Alike]:
        """What that is. Pure."""
