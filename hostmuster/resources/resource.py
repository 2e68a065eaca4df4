"""What every kind of resource has in common: questions to ask, a comparison, and steps that change a host.

A kind is one module. It asks through probes (one command for all keys of a host, so that a host is seen in
one round trip), compares purely, and changes through the few steps of the host's one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, Protocol, runtime_checkable

from hostmuster.errors import Refused
from hostmuster.resources.step import Step


@dataclass(frozen=True)
class Probe:
    """One read-only command that answers for many keys at once.

    `argv` is completed with the keys and run once a host; `split` cuts its output into one text a key.
    A key that `split` leaves out is absent on the host. `verb` names the on-host script's own reading verbs
    (`stat`, `digest`) or `probe` for a command of the kind's own.
    """

    name: str
    argv: tuple[str, ...]
    split: Callable[[str, Sequence[str]], Mapping[str, str]] = field(compare=False)
    verb: Literal["probe", "stat", "digest"] = "probe"

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise ValueError(f"`{self.name}` names an answer on the wire: letters, digits and _ only")


@dataclass(frozen=True)
class Question:
    """One key asked of one probe."""

    probe: Probe
    key: str


class Observation:
    """What one host answered: text by question; None where the thing does not exist there.

    `now` is when it did, by the controller's clock, in seconds since 1970: what may expire is compared with it.
    `unread`: by probe, why its answers could not be split; whoever asks for one of them is told, by a Refused.
    """

    def __init__(
        self,
        answers: Mapping[tuple[str, str], str],
        now: float = 0.0,
        unread: Mapping[str, Refused] = MappingProxyType({}),
    ) -> None:
        self._answers = answers
        self._unread = unread
        self.now = now

    def __getitem__(self, question: Question) -> str | None:
        if question.probe.name in self._unread:
            raise self._unread[question.probe.name]
        return self._answers.get((question.probe.name, question.key))


@dataclass(frozen=True)
class Difference:
    """One way in which a host is not as declared. `have` and `want` never hold a secret or a file's body."""

    resource: str
    aspect: str
    have: str
    want: str

    def __str__(self) -> str:
        return f"{self.resource}: {self.aspect} is {self.have}, declared {self.want}"


class Resource(Protocol):
    """One thing that must exist on a host."""

    @property
    def id(self) -> str:
        """What it is, unique on a host: kind and name, as in `file /etc/hosts`."""

    @property
    def claim(self) -> str:
        """What no other resource of the host may declare too: the path, unit, user or key itself."""

    @property
    def risky(self) -> bool:
        """Whether a wrong change could lock us out, so that it is armed and reverts by itself."""

    def questions(self) -> Iterator[Question]:
        """What must be asked of the host to compare."""

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """How the host differs from what is declared. Pure."""

    def steps(self, seen: Observation) -> Iterator[Step]:
        """What to do to a host that differs. Pure; only asked when compare gave a difference."""


@runtime_checkable
class Serving(Protocol):
    """A kind that can be in service: a unit, a container."""

    def in_service(self, seen: Observation) -> bool:
        """Whether it runs there, or will by itself at the next boot."""
