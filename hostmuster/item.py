"""A line of the checklist: its name, who it is for, and what must be true once it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from pydantic import BaseModel

    from hostmuster.model.fleet import Host
    from hostmuster.template import Declared


@dataclass(frozen=True)
class Item:
    """What an item module declares as ITEM.

    `roles` empty means every host; with `only_declared`, every such host for which the fleet file has settings of the
    item. `settings` is the pydantic model (extra="forbid") of the item's
    settings in the fleet file, found there under the item's name. `serves`: with the first such item of the checklist a
    host enters service, so every line before it must hold by then (docs/onboarding.md).
    """

    name: str
    roles: frozenset[str] = frozenset()
    settings: type[BaseModel] | None = None
    only_declared: bool = False
    serves: bool = False

    def applies_to(self, host: Host) -> bool:
        """Whether the host is one this line of the checklist is for."""
        if self.only_declared and not host.origin(self.name).file:
            return False
        return not self.roles or bool(self.roles & set(host.roles))


@dataclass(frozen=True)
class Answer:
    """What a command on a host said: its exit status and its output (stdout and stderr together)."""

    status: int
    output: str


@dataclass(frozen=True)
class Seen:
    """What an effect looked like: ok True, False, or None where it could not be run (NOT_RUN).

    `lasts`: it does not come to hold by itself, so neither it nor what comes behind it on that host is waited for.
    """

    ok: bool | None
    seen: str
    lasts: bool = False


@dataclass(frozen=True)
class Effect:
    """Something that must be true from outside the item: a socket, a process, an answer.

    `ask` runs on the host as root and must change nothing; `judge` is pure. `cheap` effects run in every
    apply, `deep` ones in `verify --deep`. Asked again until it holds or `deadline_s` seconds have passed. `peer` names
    another host that must be a member for it to hold. `of_service`: it is seen of what serves, so it is no condition
    for entering service. `may_wait`: where it cannot be run yet (NOT_RUN), a host enters service without it.
    """

    name: str
    ask: tuple[str, ...]
    judge: Callable[[Answer], Seen]
    cost: Literal["cheap", "deep"] = "cheap"
    deadline_s: float = 10.0
    peer: str | None = None
    of_service: bool = False
    may_wait: bool = False


def of_service(effects: Iterable[Effect]) -> Iterator[Effect]:
    """The effects as ones that are seen of what serves."""
    return (replace(effect, of_service=True) for effect in effects)


@runtime_checkable
class LeavingModule(Protocol):
    """An item module that says how it is undone on a host that leaves the fleet."""

    def leaving(self, host: Host) -> Iterator[Declared]:
        """What the host is brought to, in order; what is not named stays as it is. Pure."""


class ItemModule(Protocol):
    """A Python file under deploys/items: one line of the checklist. Its docstring's first line is its text."""

    __doc__: str | None
    __name__: str
    ITEM: Item

    def resources(self, host: Host) -> Iterator[Declared]:
        """What must exist on the host, in order. Pure: no I/O."""

    def effects(self, host: Host) -> Iterator[Effect]:
        """What must be true on the host once the resources are as declared."""
