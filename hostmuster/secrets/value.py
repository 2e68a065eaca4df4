"""A secret value that cannot be printed, formatted, pickled or logged by accident."""

from __future__ import annotations

import hashlib
import hmac
import os
from typing import Final, NoReturn

from hostmuster.errors import Refused

_SALT: Final = os.urandom(32)  # of this process: fingerprints in one log compare, those of two runs do not


class Secret:
    """Bytes that must not leave by accident: every text form gives length and a salted fingerprint only.

    The value comes out through `reveal` and `text` alone, so that a search for those two names finds every
    place that handles one. Equal values are equal, compared in constant time; copies are the same object.
    """

    __slots__ = ("_value",)

    def __init__(self, value: bytes | bytearray | str) -> None:
        self._value: Final = value.encode() if isinstance(value, str) else bytes(value)

    def reveal(self) -> bytes:
        """The value itself."""
        return self._value

    def text(self) -> str:
        """The value as UTF-8 text. Raises Refused, without the value, when it is none."""
        try:
            return self._value.decode()
        except UnicodeDecodeError:
            readable = False  # raised below, outside this handler: a UnicodeDecodeError carries the bytes
        assert not readable  # noqa: S101 - the only way here
        raise Refused(
            "the secret is not text (no valid UTF-8)",
            where=repr(self),
            remedy="store binary data as base64",
        )

    def fingerprint(self, salt: bytes = _SALT) -> str:
        """Eight hexadecimal digits that tell values apart; worthless without the salt."""
        return hmac.new(salt, self._value, hashlib.sha256).hexdigest()[:8]

    def __len__(self) -> int:
        return len(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(self._value, other._value)

    def __hash__(self) -> int:
        return hash(self.fingerprint())

    def __repr__(self) -> str:
        return f"<Secret, {len(self)} bytes, fingerprint {self.fingerprint()}>"

    def __str__(self) -> str:
        return repr(self)

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: object) -> Secret:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a Secret is not pickled: it would leave the process in clear")

    def __getstate__(self) -> NoReturn:
        raise TypeError("a Secret has no state to hand out")
