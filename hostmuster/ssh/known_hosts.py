"""The format of known_hosts (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT): whose key is pinned, and a pin put in its place.

Lines that are not a host's plain pin (comments, @cert-authority, patterns, what cannot be read) are left as they are.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from io import StringIO

from hostmuster.ssh.host_key import HostKey
from hostmuster.ssh.membership import Membership


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

    @property
    def revoked(self) -> tuple[HostKey, ...]:
        """Every key that an @revoked line names."""
        return tuple(dict.fromkeys(entry.key for entry in self._entries if entry and entry.marker == "@revoked"))

    @property
    def over(self) -> tuple[Membership, ...]:
        """Every membership that ended, also of hosts that came back."""
        return tuple(dict.fromkeys(one for _, one in self._over))

    @property
    def gone(self) -> frozenset[str]:
        """The hosts that left and did not come back, by name."""
        return frozenset(one.host for entry, one in self._over if entry)

    def departed(self, host: str) -> tuple[HostKey, ...]:
        """The keys of a host that left, as pinned until then."""
        return tuple(entry.key for entry, one in self._over if entry and one.host == host)

    @property
    def departures(self) -> KnownHosts:
        """The lines that say so, alone."""
        return KnownHosts(tuple(text for text in self.lines if _over(text)))

    @cached_property
    def _over(self) -> tuple[tuple[_Entry | None, Membership], ...]:
        said = ((entry, _over(text)) for text, entry in zip(self.lines, self._entries, strict=True))
        return tuple((entry, one) for entry, one in said if one is not None)

    def with_departure(self, name: str, ended: Membership) -> KnownHosts:
        """The pins of a host, named as in `name_of`, revoked; the lines say whose they were."""
        keys = self.keys(name)
        kept = self._without(name)
        return KnownHosts((*kept, *(f"@revoked {name} {key.kind} {key.body} {ended.comment}\n" for key in keys)))

    def with_return(self, host: str) -> KnownHosts:
        """The host's keys revoked no more. That its membership ended is kept: what it knew by then stays revoked."""
        ended = {f"# {one.comment}\n": None for entry, one in self._over if entry and one.host == host}
        return KnownHosts((*self.before_departure(host).lines, *ended))

    def before_departure(self, host: str) -> KnownHosts:
        """Without a word of the host's last membership having ended; nor is it pinned."""
        mine = {entry for entry, one in self._over if entry and one.host == host}
        return KnownHosts(tuple(t for t, entry in zip(self.lines, self._entries, strict=True) if entry not in mine))

    def with_pin(self, name: str, key: HostKey) -> KnownHosts:
        """This key pinned for the host, and no other. Hosts that share a line with it keep theirs."""
        return KnownHosts((*self._without(name), line(name, key)))

    def _without(self, name: str) -> Iterator[str]:
        for text, entry in zip(self.lines, self._entries, strict=True):
            ours = entry is not None and not entry.marker and entry.is_of(name)
            if left := entry.without(name) if entry and ours else text:
                yield left


def _over(text: str) -> Membership | None:
    """The membership that a line says is over: an @revoked line by its comment, or a comment line."""
    words = text.split(maxsplit=4)
    if words[:1] == ["#"]:
        return Membership.over(text.strip().removeprefix("#"))
    return Membership.over(words[4]) if len(words) == 5 and words[0] == "@revoked" else None


def _same(said: str, name: str) -> bool:
    if not said.startswith("|1|"):
        return said.lower() == name.lower()
    try:
        salt, digest = (base64.b64decode(part, validate=True) for part in said.removeprefix("|1|").split("|"))
    except (binascii.Error, ValueError):
        return False
    return hmac.compare_digest(hmac.new(salt, name.encode(), hashlib.sha1).digest(), digest)
