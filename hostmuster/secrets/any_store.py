"""What every store of a fleet's secrets does, wherever it keeps them: a SOPS file, or a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol, Self

from hostmuster.errors import Refused
from hostmuster.secrets.kinds.catalogue import kind_for, kind_named
from hostmuster.secrets.kinds.kind import Accepted, Kind
from hostmuster.secrets.name import check_name
from hostmuster.secrets.succession import Succession
from hostmuster.secrets.value import Secret

OURS: Final = frozenset(("ssh-ca", "automation-key"))
"""What a store begins with: whoever has one of them gets into every host."""


class Named(Protocol):
    """A secret as it may be shown to anybody."""

    @property
    def name(self) -> str:
        """As the store has it."""

    @property
    def kind(self) -> Kind:
        """Its kind's rules."""

    @property
    def public(self) -> str | None:
        """The public half, of a kind that has one."""

    @property
    def phase(self) -> str | None:
        """Of a secret that is being replaced: the step that was begun last."""


class AnyStore(Protocol):
    """A fleet's secrets. Whatever changes one gives the store as it is then."""

    @property
    def where(self) -> str:
        """The place, as it stands in messages."""

    @property
    def version(self) -> int:
        """The number that the store itself gives its state; 0 where it counts none."""

    @property
    def past(self) -> str:
        """Where its older states are kept, with the values they had, as it stands in messages."""

    @property
    def entries(self) -> Mapping[str, Named]:
        """Every secret by name."""

    def names(self) -> tuple[str, ...]:
        """Every secret's name, in the store's order."""

    def public(self) -> dict[str, str]:
        """Public halves by NAME.pub."""

    def value(self, name: str) -> Secret:
        """A secret's value. Raises Refused."""

    def confidential(self) -> dict[str, Secret]:
        """Every value that must not be seen, by NAME, or NAME:LABEL for one of several."""

    def credentials(self) -> tuple[Secret, ...]:
        """What this process opens the store with and may show nowhere, beside the values."""

    def fingerprint(self, name: str) -> str:
        """What tells a value from another one, and nobody outside what it is."""

    def verify(self) -> None:
        """Raises Refused unless all of it may be used."""

    def set(self, name: str, value: Secret, kind: str | None = None) -> Self:
        """Add a secret or replace its value. Raises as `admitted`."""

    def remove(self, name: str) -> Self:
        """Take a secret out. Raises as `require_removable`."""

    def turn(self, name: str, change: Callable[[Secret], Secret]) -> Self:
        """A step of a rotation: what the value is turned into, while nobody else writes."""

    def succession(self, name: str) -> Succession:
        """A secret's value, and the one that is to take its place. Raises as `value`."""

    def succeed(self, name: str, change: Callable[[Succession], Succession]) -> Self:
        """As `turn`, for a kind whose value is replaced by one that stands beside it first."""


def one_of(store: AnyStore, name: str) -> Named:
    """Raises Refused for a name that the store has not."""
    if name not in store.entries:
        remedy = f"it has: {', '.join(store.entries) or 'none yet'}"
        raise Refused(f"no secret named `{name}`", where=store.where, remedy=remedy)
    return store.entries[name]


def admitted(now: AnyStore, name: str, value: Secret, kind: str | None) -> tuple[Kind, Accepted]:
    """A value that somebody gives for a new secret, or in place of one that the store has now.

    Raises InputError for a value that its kind refuses, Refused for another kind than the secret has, and where
    the kind lets no such value take the place of the one that is there.
    """
    check_name(name)
    before = now.entries.get(name)
    wanted = kind_named(kind or (before.kind.name if before else kind_for(name)), name)
    if before and before.kind.name != wanted.name:
        what = f"`{name}` is of kind {before.kind.name}, not {wanted.name}"
        raise Refused(what, where=now.where, remedy="give the new one another name, or secrets.remove it first")
    accepted = wanted.check(value, name)
    if before and (why := wanted.obstacle(now.value(name), accepted.value)):
        raise Refused(why, where=name, remedy=_IN_THE_WAY)
    return wanted, accepted


def require_removable(now: AnyStore, name: str) -> None:
    """Raises Refused for a name that the store has not, and for what every run and every host needs."""
    one_of(now, name)
    if name in OURS:
        what = f"`{name}` is hostmuster's own: without it no run gets into a host"
        raise Refused(what, where=now.where, remedy=f"secrets.set {name} puts another one in its place")
    if len(now.entries) == 1:
        what = f"`{name}` is all that is in the store"
        raise Refused(what, where=now.where, remedy="delete the store itself where nobody needs it any more")


def succeeded(now: AnyStore, name: str, change: Callable[[Succession], Succession]) -> Succession:
    """What a value and the one that takes its place are turned into. Raises InputError for one the kind refuses."""
    then = change(now.succession(name))
    for value in filter(None, (then.current, then.next)):
        one_of(now, name).kind.check(value, name)
    return then


_IN_THE_WAY = "docs/rotation.md says how it is replaced; secrets.remove takes out what nothing reads yet"
