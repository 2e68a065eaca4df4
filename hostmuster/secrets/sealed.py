"""A value of the store that an item may name: it is read only when a host is looked at, and never shown."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from hostmuster.secrets.value import Secret


@dataclass(frozen=True)
class Sealed:
    """One value by its name. `read` and `fingerprint` open the store, which compiling a fleet does not.

    `fingerprint`: the value's under a salt of the store's own, the same in every run as long as the value is.
    """

    name: str
    read: Callable[[], Secret] = field(repr=False, compare=False)
    fingerprint: Callable[[], str] = field(repr=False, compare=False)

    def digest(self) -> str:
        """SHA-256, in hexadecimal digits, of fingerprint and value: what a file that holds it is compared by."""
        return hashlib.sha256(self.fingerprint().encode() + self.read().reveal()).hexdigest()

    def begins_with(self, start: str) -> bool:
        """Whether the value is this, or goes on behind it with a slash."""
        return f"{self.read().text()}/".startswith(f"{start}/")
