"""A Fernet key: 32 random bytes in URL-safe base64. It cannot be swapped, only migrated (K1, K6).

Source: the Fernet specification (fernet/spec, "Key Format"); cryptography's Fernet takes the same.
"""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Final

from hostmuster.secrets.kinds.kind import Accepted, Kind, mistake, text_of
from hostmuster.secrets.placeholder import placeholder, regularity
from hostmuster.secrets.value import Secret

_MAKE_ONE = "make one: secrets.set NAME --kind fernet --generate; it is 44 characters, as Fernet.generate_key() gives"
_SHAPE = re.compile(r"[A-Za-z0-9_-]{43}=")

PUBLISHED: Final = frozenset(
    {
        "e525463bd2c321d1e4675105c8724edcc74ca5cab4bb54496aff0a69b74b2e4d",  # the specification's test vectors
        "5ca278330d08b9ce5bb4e0c8755263873be3b92f5db329c5562d445b3e022232",  # sample files of Apache Airflow
        "3990442a9e73e2e289f7c0c4f1c9dc85d3d54268f208748631ecb46b1ef9f3df",  # its documentation
    }
)
"""SHA-256 of keys that stand in documentation and are copied from there: everybody has them."""


def _check(value: Secret, where: str) -> Accepted:
    """Raises InputError with what the value was taken for."""
    given = text_of(value, where)
    wrong = _misshapen(given) or _weak(base64.urlsafe_b64decode(given))
    if wrong:
        raise mistake(where, wrong, _MAKE_ONE)
    return Accepted(value)


def generate(_name: str) -> Secret:
    """A new key from the system's randomness."""
    from cryptography.fernet import Fernet

    return Secret(Fernet.generate_key())


def _misshapen(given: str) -> str | None:
    """What the text is instead of a key."""
    word = given.strip()
    if word != given:
        return "a blank or line end before or after the key"
    if _SHAPE.fullmatch(given):
        return None
    if re.fullmatch(r"b(['\"]).*\1", word):
        return "Python's way to write bytes (b'...'), not the key itself"
    if re.fullmatch(r"[0-9a-fA-F]{64}", word):
        return "64 hexadecimal digits: 32 bytes, but not in URL-safe base64"
    if re.fullmatch(r"[A-Za-z0-9+/]{43}=", word):
        return "standard base64 (with + or /) where Fernet reads the URL-safe one (with - and _)"
    if _SHAPE.fullmatch(word + "="):
        return "43 characters: the `=` at the end is lost"
    if found := placeholder(word):
        return found
    try:
        decoded = base64.b64decode(word.translate(str.maketrans("-_", "+/")), validate=True)
    except ValueError:
        return f"{len(word)} characters that are no base64"
    if _SHAPE.fullmatch(decoded.decode("latin-1")):
        return "encoded in base64 once too often: it decodes to a key"
    return f"{len(word)} characters that decode to {len(decoded)} bytes, where a key has 32"


def _weak(key: bytes) -> str | None:
    if hashlib.sha256(key).hexdigest() in PUBLISHED:
        return "a key out of published documentation, which everybody has"
    if all(32 <= byte < 127 for byte in key):
        return "32 bytes of text, not of randomness"
    return regularity(key)


def _obstacle(now: Secret, then: Secret) -> str | None:
    if now == then:
        return None
    return "what was encrypted with the key that is there could not be read any more: a Fernet key is not swapped"


KIND = Kind(
    "fernet",
    confidential=True,
    has_public=False,
    check=_check,
    rotation="migrate",
    generate=generate,
    obstacle=_obstacle,
    succeeds=True,
)
