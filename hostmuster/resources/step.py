"""The steps by which a host is changed: the few that its one transaction knows, and those that become such first."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal


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
