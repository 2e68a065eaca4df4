"""The keys that sign a service's tokens: one that signs, and those that verify beside it (K2 to K5)."""

from __future__ import annotations

from typing import get_args

from hostmuster.secrets import ring_text, rsa_key
from hostmuster.secrets.kinds.kind import Accepted, Kind, Part, Parts, Use, text_of
from hostmuster.secrets.ring import Ring, RingKey
from hostmuster.secrets.value import Secret


def _check(value: Secret, where: str) -> Accepted:
    """A ring's text, or one PEM: that is a ring of one key, `NAME-1`. Raises InputError."""
    text = text_of(value, where)
    if text.lstrip().startswith("-----"):
        return Accepted(ring_text.written(_of_one(where, rsa_key.accepted(value, where))))
    return Accepted(ring_text.written(ring_text.checked(ring_text.parsed(text, where), where)))


def generate(name: str) -> Secret:
    """A ring of one new key."""
    return ring_text.written(_of_one(name, rsa_key.generate()))


def _of_one(name: str, private: Secret) -> Ring:
    return Ring(RingKey(f"{name.replace('/', '-')}-1", private))


def _fingerprint(value: Secret) -> str:
    return _ring(value).current.thumbprint


def _obstacle(now: Secret, then: Secret) -> str | None:
    """No key is lost by an edit, and both rings verify one another's tokens."""
    before, after = _ring(now), _ring(then)
    kept = {key.thumbprint for key in after.keys}
    for key in before.keys:
        if key.thumbprint not in kept:
            return f"the key `{key.kid}` would be lost, and every token that it signed would fail"
    return before.obstacle(after)


def _split(value: Secret) -> tuple[Part, ...]:
    ring = _ring(value)
    coming = (Part(ring.next.kid, "next", ring.next.private),) if ring.next else ()
    previous = (Part(key.kid, "previous", key.private) for key in ring.previous)
    revoked = (Part(key.kid, "revoked", key.private) for key in ring.revoked)
    return (Part(ring.current.kid, "current", ring.current.private), *coming, *previous, *revoked)


def _join(parts: tuple[Part, ...]) -> Secret:
    keys = {use: [RingKey(part.label, part.value) for part in parts if part.use == use] for use in get_args(Use)}
    (current,) = keys["current"]
    coming = next(iter(keys["next"]), None)
    return ring_text.written(Ring(current, coming, tuple(keys["previous"]), tuple(keys["revoked"])))


def _ring(value: Secret) -> Ring:
    return ring_text.parsed(value.text(), "the ring")


KIND = Kind(
    "rsa-signing-ring",
    confidential=True,
    has_public=False,
    check=_check,
    rotation="ring",
    generate=generate,
    fingerprint=_fingerprint,
    obstacle=_obstacle,
    parts=Parts(_split, _join),
)
