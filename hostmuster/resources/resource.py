"""What every kind of resource has in common: questions to ask, a comparison, and steps that change a host.

A kind is one module. It asks through probes (one command for all keys of a host, so that a host is seen in
one round trip), compares purely, and changes through the few steps of the host's one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, runtime_checkable


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
    """

    def __init__(self, answers: Mapping[tuple[str, str], str], now: float = 0.0) -> None:
        self._answers = answers
        self.now = now

    def __getitem__(self, question: Question) -> str | None:
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


@dataclass(frozen=True)
class Put:
    """Write a whole file: temp file beside it, owner, mode, fsync, validate, rename, fsync of the directory.

    `validate` is a command completed with the temp file's path; the file is not switched unless it exits 0.
    """

    path: str
    content: bytes = field(repr=False)
    mode: str
    owner: str
    group: str
    validate: tuple[str, ...] = ()


@dataclass(frozen=True)
class PutCertificate:
    """Write an SSH certificate for `public_key`, valid for `days`. The change stage signs it and sends a Put."""

    path: str
    public_key: str
    key_id: str
    principals: tuple[str, ...]
    days: int
    host: bool


@dataclass(frozen=True)
class Deliver:
    """Have large content on the host before the transaction begins, by its own channel.

    It comes once from the controller, out of the file `archive`, then from host to host as the user `service`.
    `digest` is SHA-256 in hex, `size` in bytes.
    """

    archive: str
    digest: str
    size: int
    service: str


@dataclass(frozen=True)
class PutLink:
    """Make a symbolic link, by rename, so that no reader finds it missing."""

    path: str
    target: str


@dataclass(frozen=True)
class Run:
    """Run a command as root. `undo` is what takes it back when the transaction is reverted; empty: nothing. Whatever is
    not done within `limit_s` hangs: it is ended, and the transaction taken back.

    `once`: several resources may ask for the same command. `item` runs it the first time only; `files` runs it
    once after all files that stand together, before the next other command; `last` runs it once at the item's end,
    for the `operands` of all together: each call to enable a unit costs its host a tenth of a second.
    """

    argv: tuple[str, ...]
    undo: tuple[str, ...] = ()
    once: Literal["", "item", "files", "last"] = ""
    operands: tuple[str, ...] = ()
    limit_s: int = 300

    @property
    def patient(self) -> Run:
        """The same, where it waits for others, who have bounds of their own: a mirror, a service that stops (K9)."""
        return replace(self, limit_s=3000)


@dataclass(frozen=True)
class Keep:
    """Keep a path's present state (original once, undo copy for this transaction) before a Run changes it."""

    path: str


@dataclass(frozen=True)
class Blocked:
    """The difference cannot be mended by us: why, and what the operator must do. The item fails with it."""

    reason: str


@dataclass(frozen=True)
class Owe:
    """Record a restart or reload owed to a unit before the change that causes it."""

    unit: str
    action: Literal["restart", "reload"] = "restart"


@dataclass(frozen=True)
class Arm:
    """From here on a wrong change could lock us out: unless it is confirmed in time, it is taken back by itself."""


@dataclass(frozen=True)
class Meet:
    """Stands before what is to happen on all hosts at the same time: the host waits here, so long at most, for the
    run's word."""

    seconds: int = 60


Sent = Put | PutLink | Run | Keep | Owe | Arm | Meet
"""What a host is sent."""
Step = Sent | PutCertificate | Deliver | Blocked


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
