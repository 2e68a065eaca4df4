"""A ring by the words for its keys: in the store, and as those see it who verify by it."""

from __future__ import annotations

from dataclasses import dataclass

from hostmuster.secrets.ring import Ring, Serves


@dataclass(frozen=True)
class Kids:
    """The store's ring: the key that signs, the one that is to, those that did, and those that are served no more."""

    current: str
    next: str | None = None
    previous: frozenset[str] = frozenset()
    revoked: frozenset[str] = frozenset()

    @classmethod
    def of(cls, ring: Ring) -> Kids:
        """The words for the keys of the store's ring."""
        upcoming = ring.next.word if ring.next else None
        previous, revoked = (frozenset(key.word for key in keys) for keys in (ring.previous, ring.revoked))
        return cls(ring.current.word, upcoming, previous, revoked)

    @property
    def served(self) -> Serves:
        """What a replica serves that has this ring."""
        upcoming = {self.next} if self.next else set()
        return Serves(self.current, frozenset({self.current, *upcoming, *self.previous}))


@dataclass(frozen=True)
class Consumer:
    """Somebody who verifies tokens by a copy of the published keys (JWKS), as was seen."""

    name: str
    verifies: frozenset[str]
