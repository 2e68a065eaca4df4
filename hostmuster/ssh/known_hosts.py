"""The format of known_hosts (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT): whose key is pinned, and a pin put in its place.

Lines that are not a host's plain pin (comments, @cert-authority, patterns, what cannot be read) are left as they are.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from dataclasses import dataclass
from functools import cached_property
from io import StringIO

from hostmuster.ssh.host_key import HostKey


def name_of(address: str, port: int) -> str:
    """How a host is named there."""
    return address if port == 22 else f"[{address}]:{port}"


def line(name: str, key: HostKey) -> str:
    """A host's pin."""
    return f"{name} {key.kind} {key.body}\n"


@dataclass(frozen=True)
class _Entry:
    marker: str
    names: tuple[str, ...]
    key: HostKey
    comment: str

    @classmethod
    def read(cls, text: str) -> _Entry | None:
        words = text.split(maxsplit=4 if text.lstrip().startswith("@") else 3)
        marker = words.pop(0) if words and words[0].startswith("@") else ""
        if len(words) < 3 or words[0].startswith("#"):
            return None
        key = HostKey.read(words[1], words[2])
        return cls(marker, tuple(words[0].split(",")), key, "".join(words[3:]).rstrip("\r\n")) if key else None

    def is_of(self, name: str) -> bool:
        return any(_same(said, name) for said in self.names)

    def without(self, name: str) -> str:
        others = [said for said in self.names if not _same(said, name)]
        rest = f" {self.comment}" if self.comment else ""
        return f"{','.join(others)} {self.key.kind} {self.key.body}{rest}\n" if others else ""


@dataclass(frozen=True)
class KnownHosts:
    """A file's lines, each with its end."""

    lines: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> KnownHosts:
        """Any text is one."""
        # A line ends with a line feed alone, not with all that str.splitlines knows.
        return cls(tuple(f"{part.removesuffix(chr(10))}\n" for part in StringIO(text, newline="\n")))

    @property
    def text(self) -> str:
        """What the file holds."""
        return "".join(self.lines)

    @cached_property
    def _entries(self) -> tuple[_Entry | None, ...]:
        return tuple(_Entry.read(text) for text in self.lines)

    @property
    def plain(self) -> KnownHosts:
        """The pins alone, three words each, without those of revoked keys.

        paramiko's reader ends at the first line that is another (an @cert-authority, two spaces), and so overlooks
        every pin behind it.
        """
        revoked = {entry.key for entry in self._entries if entry and entry.marker == "@revoked"}
        pins = (entry for entry in self._entries if entry and not entry.marker and entry.key not in revoked)
        return KnownHosts(tuple(line(",".join(pin.names), pin.key) for pin in pins))

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing but plain pins, each with whatever comment, and lines that are comments."""
        kept = [text for text in self.lines if text.strip() and not text.lstrip().startswith("#")]
        plain = self.plain.lines
        same = (said.startswith(pin.rstrip("\n")) for said, pin in zip(kept, plain, strict=False))
        return len(kept) == len(plain) and self.text.isascii() and all(same)

    def keys(self, name: str) -> tuple[HostKey, ...]:
        """The keys pinned for a host, named as in `name_of`; hashed names are understood."""
        return tuple(entry.key for entry in self._entries if entry and not entry.marker and entry.is_of(name))

    def is_revoked(self, key: HostKey) -> bool:
        """Whether an @revoked line names the key, for whatever host."""
        return any(entry is not None and entry.marker == "@revoked" and entry.key == key for entry in self._entries)

    def with_pin(self, name: str, key: HostKey) -> KnownHosts:
        """This key pinned for the host, and no other. Hosts that share a line with it keep theirs."""
        kept = []
        for text, entry in zip(self.lines, self._entries, strict=True):
            ours = entry is not None and not entry.marker and entry.is_of(name)
            kept.append(entry.without(name) if entry and ours else text)
        return KnownHosts((*filter(None, kept), line(name, key)))


def _same(said: str, name: str) -> bool:
    if not said.startswith("|1|"):
        return said.lower() == name.lower()
    try:
        salt, digest = (base64.b64decode(part, validate=True) for part in said.removeprefix("|1|").split("|"))
    except (binascii.Error, ValueError):
        return False
    return hmac.compare_digest(hmac.new(salt, name.encode(), hashlib.sha1).digest(), digest)
