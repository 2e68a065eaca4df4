"""A ring of signing keys: one signs, all of them verify (K3, K4)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from hostmuster.secrets import rsa_key
from hostmuster.secrets.value import Secret

_KID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Serves:
    """What a replica signs with, and all that it verifies: keys by words of which equal ones are equal keys."""

    signs: str
    verifies: frozenset[str]

    def unverified(self, other: Serves) -> str | None:
        """The kid with which one of them signs what the other does not verify; None where they may serve together."""
        for one, peer in ((self, other), (other, self)):
            if one.signs not in peer.verifies:
                return one.signs.partition("/")[0]
        return None

    def suits(self, other: Serves) -> bool:
        """Whether each verifies what the other signs: only such two may ever serve together."""
        return self.unverified(other) is None


def word(kid: str, thumbprint: str) -> str:
    """A key told by its kid and as much of its thumbprint as tells another key under that kid from it."""
    return f"{kid}/{thumbprint[:12]}"


@dataclass(frozen=True)
class RingKey:
    """A private key (PKCS#8 PEM) under the kid that its tokens carry."""

    kid: str
    private: Secret

    @cached_property
    def thumbprint(self) -> str:
        """RFC 7638's, which tells the key from others whatever it is called."""
        return rsa_key.thumbprint(self.private)

    @property
    def word(self) -> str:
        """What tells it from every other key."""
        return word(self.kid, self.thumbprint)


@dataclass(frozen=True)
class Ring:
    """`current` signs. `next` is published for verification and does not sign yet; `previous` ones signed once.
    `revoked` ones are not served any more; that they stand here says that the revocation is not over.

    To turn it: the next key is published everywhere, then signs, and the one before it goes when no token of its
    lives any more. Each step's ring and the one before it verify one another's tokens.
    """

    current: RingKey
    next: RingKey | None = None
    previous: tuple[RingKey, ...] = ()
    revoked: tuple[RingKey, ...] = ()

    @property
    def verifying(self) -> tuple[RingKey, ...]:
        """The keys that do not sign: what K3's ring of previous keys holds, the next one included."""
        return (*((self.next,) if self.next else ()), *self.previous)

    @property
    def served(self) -> tuple[RingKey, ...]:
        """The keys that replicas have, the one that signs first."""
        return (self.current, *self.verifying)

    @property
    def keys(self) -> tuple[RingKey, ...]:
        """All of them, the one that signs first."""
        return (*self.served, *self.revoked)

    @property
    def serves(self) -> Serves:
        """What replicas with this ring sign with and verify."""
        return Serves(self.current.word, frozenset(key.word for key in self.served))

    @property
    def next_kid(self) -> str:
        """The kid of the key to come: the highest number in use and one more, so that none comes twice."""
        stem, number = _numbered(self.current.kid)
        return f"{stem}-{max(number, *(_numbered(key.kid)[1] for key in self.keys)) + 1}"

    def published(self, key: RingKey) -> Ring:
        """With the next key, which is verified by all before it signs."""
        return replace(self, next=key)

    def promoted(self) -> Ring:
        """The next key signs, and the one that signed verifies. Without a next key: the same ring."""
        return (
            replace(self, current=self.next, next=None, previous=(self.current, *self.previous)) if self.next else self
        )

    def retired(self) -> Ring:
        """Without the keys that signed before: their tokens end."""
        return replace(self, previous=())

    def without(self, kid: str, fresh: RingKey) -> Ring:
        """One key is served no more (K5). Where it signs, the next one does, or `fresh` where none is to come."""
        gone = tuple(key for key in self.served if key.kid == kid)
        coming = self.next if self.next and self.next.kid != kid else None
        previous = tuple(key for key in self.previous if key.kid != kid)
        if self.current.kid != kid:
            return Ring(self.current, coming, previous, (*gone, *self.revoked))
        return Ring(coming or fresh, None, previous, (*gone, *self.revoked))

    def forgotten(self) -> Ring:
        """Without the revoked keys, once every replica is without them."""
        return replace(self, revoked=())

    def mistakes(self) -> Iterator[str]:
        """What a ring must not be (K3): two keys under one kid, one key under two, a kid nobody can write."""
        for kid, times in Counter(key.kid for key in self.keys).items():
            if times > 1:
                yield f"the kid `{kid}` stands {times} times: a token names its key by it"
            if not _KID.fullmatch(kid) or kid.endswith("_unencrypted"):
                yield "a kid that is not 1 to 64 letters, digits, `.`, `_` or `-`"
        kids: dict[str, str] = {}
        for key in self.keys:
            first = kids.setdefault(key.thumbprint, key.kid)
            if first != key.kid:
                yield f"`{first}` and `{key.kid}` are the same key: it would stay after one of them is retired"

    def obstacle(self, then: Ring) -> str | None:
        """Why replicas with this ring and with that one may not serve together (K4); None where they may."""
        kid = self.serves.unverified(then.serves)
        return f"tokens signed with `{kid}` would not be verified by replicas with the other ring" if kid else None


def _numbered(kid: str) -> tuple[str, int]:
    stem, _, number = kid.rpartition("-")
    return (stem, int(number)) if stem and number.isdecimal() else (kid, 1)
