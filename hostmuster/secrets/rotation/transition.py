"""The steps of a rotation. Each may be interrupted: whoever plans again finds what is left of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Edit:
    """A change of the store, and the keys it is about; `publish`, `prepare` and `replace` make a new one."""

    change: Literal["publish", "promote", "retire", "revoke", "forget", "prepare", "withdraw", "replace"]
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Switch:
    """The store's state becomes what these hosts' next starts take: staged on all, verified on all, then switched on
    all at the same time."""

    hosts: tuple[str, ...]


@dataclass(frozen=True)
class Restart:
    """One replica, drained first, takes what its host has; ready again, it is let back into service."""

    host: str


@dataclass(frozen=True)
class Halt:
    """These replicas are stopped together and stay so over a boot: the outage begins."""

    hosts: tuple[str, ...]


@dataclass(frozen=True)
class Start:
    """These replicas are started together: the outage ends."""

    hosts: tuple[str, ...]


@dataclass(frozen=True)
class Refresh:
    """These consumers are to read the published keys anew: by a restart, or once their copies expire."""

    consumers: tuple[str, ...]


@dataclass(frozen=True)
class Rows:
    """What is done to the data that the key encrypts, while nobody writes it."""

    act: Literal["dump", "migrate", "prove", "put back"]


@dataclass(frozen=True)
class Wait:
    """Tokens of a key that retires may live for so many seconds more."""

    seconds: float


@dataclass(frozen=True)
class Done:
    """Nothing is left to do for what was asked; the sentence says how things stand."""

    sentence: str


Transition = Edit | Switch | Restart | Halt | Start | Refresh | Rows | Wait | Done
