"""A key and the one that takes its place: what a store has of a Fernet key while rows are encrypted anew (K6)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hostmuster.secrets.value import Secret


@dataclass(frozen=True)
class Succession:
    """`current` is in use; `next` is the key that rows are to be encrypted with, None where none is to come."""

    current: Secret
    next: Secret | None = None

    def prepared(self, made: Secret) -> Succession:
        """With a key to come; one that is there already stays, since rows may be encrypted with it."""
        return self if self.next else replace(self, next=made)

    def promoted(self) -> Succession:
        """The key to come is in use, and the one before it gone: every row was proved to open with the new one."""
        return Succession(self.next) if self.next else self

    def withdrawn(self) -> Succession:
        """Without the key to come: every row is as it was."""
        return Succession(self.current)
