"""A host's public key, as known_hosts and ssh-keygen write it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass

from hostmuster.errors import Refused

_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")


@dataclass(frozen=True)
class HostKey:
    """`kind` is the key's type (ssh-ed25519), `body` its base64 as in known_hosts(5)."""

    kind: str
    body: str

    @property
    def fingerprint(self) -> str:
        """As `ssh-keygen -l` prints it: SHA256, base64 without padding."""
        digest = hashlib.sha256(base64.b64decode(self.body)).digest()
        return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")

    def __str__(self) -> str:
        return f"{self.kind} {self.fingerprint}"

    @classmethod
    def read(cls, kind: str, body: str) -> HostKey | None:
        """None where the text is no key: its own name for its type must stand in it, too."""
        try:
            blob = base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            return None
        name = kind.encode("utf-8", "surrogateescape")
        return cls(kind, body) if blob.startswith(len(name).to_bytes(4) + name) else None


def fingerprint(text: str, where: str) -> str:
    """What an operator gives as a fingerprint. Raises Refused for anything but the SHA256 form."""
    if not _FINGERPRINT.fullmatch(text):
        raise Refused(
            f"{text[:80]!r} is no fingerprint of a host key",
            where=where,
            remedy="write it as `ssh-keygen -lf KEY.pub` prints it: SHA256: and 43 characters",
        )
    return text
