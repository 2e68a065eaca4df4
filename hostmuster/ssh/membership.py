"""A host's time as a member of its fleet: what it was certified as then, and that it is over, as the pin file says.

A host cannot forget its keys, so what it knew is revoked by name (its certificates' key ids, ssh-keygen(1), KEY
REVOCATION LISTS), which needs no word from the host. One that comes back is certified under another number.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass

_OVER = re.compile(r"offboarded ([a-z0-9][a-z0-9.-]*) ([1-9][0-9]*)")
_WILDCARD, _KEY_IDS, _CERTIFICATES = b"", 0x23, 1


@dataclass(frozen=True)
class Membership:
    """The `number`th time, from 1, that a host was taken in."""

    host: str
    number: int = 1

    @classmethod
    def over(cls, comment: str) -> Membership | None:
        """The one that a comment of the pin file says is over."""
        found = _OVER.fullmatch(comment.strip())
        return cls(found[1], int(found[2])) if found else None

    @property
    def next(self) -> Membership:
        """When it comes back."""
        return Membership(self.host, self.number + 1)

    @property
    def comment(self) -> str:
        """How the pin file says that it is over."""
        return f"offboarded {self.host} {self.number}"

    def key_id(self, fleet: str, service: str = "") -> str:
        """Of the host's own certificate, or of its service user's."""
        again = "" if self.number == 1 else f"#{self.number}"
        return f"{fleet}:{f'{service}@' if service else ''}{self.host}{again}"


def revocation_list(key_ids: Iterable[str]) -> bytes:
    """A KRL (OpenSSH's PROTOCOL.krl) of certificates by their key ids, whichever CA signed them."""
    ids = _string(b"".join(_string(one.encode()) for one in key_ids))
    section = _string(_WILDCARD) + _string(b"") + bytes([_KEY_IDS]) + ids
    # Version, date, flags: none, so that the same ids are the same file.
    head = b"SSHKRL\n\0" + struct.pack(">IQQQ", 1, 0, 0, 0) + _string(b"") + _string(b"")
    return head + bytes([_CERTIFICATES]) + _string(section)


def _string(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data
