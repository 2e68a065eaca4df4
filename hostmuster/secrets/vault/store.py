"""The secrets of one fleet in a Vault: read as a whole, and written upon the version that was read or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from hostmuster.errors import Refused
from hostmuster.secrets import sshkeys
from hostmuster.secrets.any_store import admitted, one_of, require_removable, succeeded
from hostmuster.secrets.kinds.kind import Accepted, Kind
from hostmuster.secrets.succession import Succession
from hostmuster.secrets.value import Secret
from hostmuster.secrets.vault.contents import Contents, Kept
from hostmuster.secrets.vault.kv import Kv

TRIES: Final = 8
"""So often a change is made anew upon what another one wrote meanwhile."""


@dataclass(frozen=True)
class VaultStore:
    """One version of it, of which nothing is asked again: a run works with one state from first to last."""

    kv: Kv
    version: int
    contents: Contents = field(repr=False)

    @classmethod
    def read(cls, kv: Kv) -> VaultStore:
        """The newest version. Raises Refused where it cannot be read, InputError for what is no store."""
        version, data = kv.read()
        return cls(kv, version, Contents.parse(data, kv.vault.shown))

    @classmethod
    def create(cls, kv: Kv, first: Mapping[str, tuple[Kind, Accepted]]) -> VaultStore:
        """A store with its first secrets. Raises Refused when something is there already."""
        kept = {name: Kept.of(name, kind, accepted) for name, (kind, accepted) in first.items()}
        if not kv.write(Contents(Secret(secrets.token_hex(32)), kept).document(), 0):
            raise Refused("there is something already", where=kv.vault.shown, remedy="secrets.list shows what it holds")
        return cls.read(kv)

    @property
    def where(self) -> str:
        """The place, as it stands in messages."""
        return self.kv.vault.shown

    @property
    def past(self) -> str:
        """The engine keeps as many as its `max_versions` says."""
        return "the Vault's older versions"

    @property
    def entries(self) -> Mapping[str, Kept]:
        """Every secret by name."""
        return self.contents.secrets

    def names(self) -> tuple[str, ...]:
        """Every secret's name, in the Vault's order: by the alphabet."""
        return tuple(self.entries)

    def public(self) -> dict[str, str]:
        """Public halves by NAME.pub, each made from its value."""
        return {f"{name}.pub": one.public for name, one in self.entries.items() if one.public}

    def value(self, name: str) -> Secret:
        """A secret's value. Raises Refused for an unknown one."""
        one_of(self, name)
        return self.entries[name].value

    def confidential(self) -> dict[str, Secret]:
        """Every value that must not be seen, by NAME, or NAME:LABEL for one of several."""
        hidden = (one for one in self.entries.values() if one.kind.confidential)
        return {label: value for one in hidden for label, value in one.values.items()}

    def credentials(self) -> tuple[Secret, ...]:
        """The operator's token."""
        return (self.kv.token,)

    def fingerprint(self, name: str) -> str:
        """ssh-keygen's, of a public half; of a ring, the thumbprint of the key that signs; else salted digits."""
        one_of(self, name)
        one = self.entries[name]
        if one.public:
            return sshkeys.fingerprint(one.public)
        if one.kind.fingerprint:
            return one.kind.fingerprint(one.value)
        return one.value.fingerprint(b"fingerprint" + self.contents.salt.reveal())

    def verify(self) -> None:
        """Nothing is left to ask: what was read came whole, over TLS, from who keeps it and says who wrote it."""

    def set(self, name: str, value: Secret, kind: str | None = None) -> VaultStore:
        """Add a secret or replace its value; the store as it is then. Raises as `admitted`."""

        def changed(now: VaultStore) -> Contents:
            wanted, accepted = admitted(now, name, value, kind)
            one, before = Kept.of(name, wanted, accepted), now.entries.get(name)
            return now.contents.having(replace(one, parts=before.parts) if before and wanted.succeeds else one)

        return self._written(changed)

    def remove(self, name: str) -> VaultStore:
        """Take a secret out; the store as it is then. Raises as `require_removable`."""

        def changed(now: VaultStore) -> Contents:
            require_removable(now, name)
            return now.contents.without(name)

        return self._written(changed)

    def turn(self, name: str, change: Callable[[Secret], Secret]) -> VaultStore:
        """A step of a rotation: what the value is turned into; the store as it is then.

        Whether it may take that value's place is the planner's to say. Raises InputError for one that its kind refuses.
        """

        def changed(now: VaultStore) -> Contents:
            kind = one_of(now, name).kind
            return now.contents.having(Kept.of(name, kind, kind.check(change(now.value(name)), name)))

        return self._written(changed)

    def succession(self, name: str) -> Succession:
        """A secret's value, and the one that is to take its place. Raises as `value`."""
        one_of(self, name)
        return self.entries[name].succession

    def succeed(self, name: str, change: Callable[[Succession], Succession]) -> VaultStore:
        """As `turn`, for a kind whose value is replaced by one that stands beside it first."""

        def changed(now: VaultStore) -> Contents:
            return now.contents.having(now.entries[name].succeeded(succeeded(now, name, change)))

        return self._written(changed)

    def _written(self, changed: Callable[[VaultStore], Contents]) -> VaultStore:
        """The change upon the newest version. Where another came meanwhile it is judged anew, upon that one."""
        for _ in range(TRIES):
            now = VaultStore.read(self.kv)
            if self.kv.write(changed(now).document(), now.version):
                return VaultStore.read(self.kv)
        remedy = "wait for them, then the same command again"
        raise Refused("others write to it all the time; nothing was written", where=self.where, remedy=remedy)
