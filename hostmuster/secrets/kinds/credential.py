"""A credential that both sides of a connection hold: the same strong text on all of them (K1, K7)."""

from __future__ import annotations

from typing import Final

from hostmuster.secrets.kinds import opaque
from hostmuster.secrets.kinds.kind import Accepted, Kind, mistake, text_of
from hostmuster.secrets.placeholder import placeholder, regularity, surprise_bits
from hostmuster.secrets.value import Secret

SHORTEST: Final = 32  # characters: an HMAC key is no shorter than its hash (RFC 2104, 3; RFC 7518, 3.2)
WEAKEST: Final = 80.0  # bits of surprise; 32 random hexadecimal digits have about 115 of them

_MAKE_ONE = "make one: secrets.set NAME --kind shared-credential --generate"


def _check(value: Secret, where: str) -> Accepted:
    wrong = _wrong(text_of(value, where))
    if wrong:
        raise mistake(where, wrong, _MAKE_ONE)
    return Accepted(value)


def _wrong(given: str) -> str | None:
    raw = given.encode()
    if given != given.strip():
        return "a blank or line end before or after it: one side would strip it, the other would not"
    if not (given.isascii() and given.isprintable() and " " not in given):
        return "a blank, a control character or one beyond ASCII: not every header and file carries it"
    if found := placeholder(given) or regularity(raw):
        return found
    if len(given) < SHORTEST:
        return f"{len(given)} characters where {SHORTEST} are the least"
    if surprise_bits(raw) < WEAKEST:
        return "too few different characters for a random value"
    return None


KIND = Kind(
    "shared-credential",
    confidential=True,
    has_public=False,
    check=_check,
    rotation="swap",
    generate=opaque.generate,
)
