"""The `sops` section of a SOPS file: for whom it is encrypted, which of its values are, and its MAC.

Source: getsops/sops, stores/stores.go; sops.go for the rules of what is encrypted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hostmuster.errors import InputError, Problem
from hostmuster.secrets.envelope import is_sealed
from hostmuster.secrets.tree import PUT_BACK, Branch, Leaf, Path, Row

_VERSION = "3.11.0"  # the release of sops whose format this is, and that the tests run
_UNSUPPORTED = ("key_groups", "shamir_threshold", "encrypted_comment_regex", "unencrypted_comment_regex")


@dataclass(frozen=True)
class Rules:
    """Which paths are encrypted: at most one of the four texts is set, as in SOPS."""

    unencrypted_suffix: str = ""
    encrypted_suffix: str = ""
    unencrypted_regex: str = ""
    encrypted_regex: str = ""
    mac_only_encrypted: bool = False

    def encrypted(self, path: Path) -> bool:
        """Whether the value at a path is encrypted."""
        if self.encrypted_suffix:
            return any(key.endswith(self.encrypted_suffix) for key in path)
        if self.encrypted_regex:
            return any(re.search(self.encrypted_regex, key) for key in path)
        if self.unencrypted_regex:
            return not any(re.search(self.unencrypted_regex, key) for key in path)
        return not any(key.endswith(self.unencrypted_suffix or "_unencrypted") for key in path)


@dataclass(frozen=True)
class Wrapped:
    """The file's data key, encrypted for one age recipient (armoured)."""

    recipient: str
    key: str


@dataclass(frozen=True)
class Section:
    """What it says. The MAC is bound to `modified`."""

    wrapped: tuple[Wrapped, ...]
    modified: Leaf
    mac: Leaf
    rules: Rules

    @classmethod
    def taken_from(cls, tree: Branch, where: str) -> Section:
        """A file's, which its tree has no more then: what is left is what the MAC is over.

        Raises InputError: no SOPS file, truncated, or with a feature that is not supported, by name.
        """
        section = tree.items.pop("sops", None)
        if not isinstance(section, Branch):
            what = "no `sops` section: the file was truncated, or was never encrypted"
            raise _mistake(where, tree.line, what, PUT_BACK)
        for key in _UNSUPPORTED:
            if section.items.get(key):
                raise _mistake(where, section.line, f"`{key}` is not supported here", "use one list of age recipients")
        modified, mac = section.items.get("lastmodified"), section.items.get("mac")
        if not isinstance(modified, Leaf) or not isinstance(mac, Leaf) or not is_sealed(mac.value):
            what = "the `sops` section lacks `lastmodified` or a whole `mac`: truncated"
            raise _mistake(where, section.line, what, PUT_BACK)
        return cls(_wrapped(section, where), modified, mac, _rules(section))


def new_section(wrapped: Iterable[Wrapped], mac: str) -> str:
    """The text of one that was never signed; `mac`: any that is whole."""
    return (
        f'sops:\n{age_lines(wrapped, 4)}    lastmodified: ""\n    mac: {mac}\n'
        f"    unencrypted_suffix: _unencrypted\n    version: {_VERSION}\n"
    )


def age_lines(wrapped: Iterable[Wrapped], column: int) -> str:
    """The `age` list of the `sops` section, whose keys stand in a column."""
    lines = ["age:"]
    for one in wrapped:
        lines += [f"    - recipient: {one.recipient}", "      enc: |"]
        lines += [f"        {line}" for line in one.key.splitlines()]
    return "".join(f"{' ' * column}{line}\n" for line in lines)


def _wrapped(section: Branch, where: str) -> tuple[Wrapped, ...]:
    row = section.items.get("age")
    found = []
    for entry in row.items if isinstance(row, Row) else []:
        parts = entry.items if isinstance(entry, Branch) else {}
        recipient, key = parts.get("recipient"), parts.get("enc")
        if isinstance(recipient, Leaf) and isinstance(key, Leaf):
            found.append(Wrapped(str(recipient.value), str(key.value)))
    if not found:
        raise _mistake(where, section.line, "no age recipient in it", "encrypt it for age (sops --age)")
    return tuple(found)


def _rules(section: Branch) -> Rules:
    def text(key: str) -> str:
        leaf = section.items.get(key)
        return str(leaf.value) if isinstance(leaf, Leaf) and leaf.value else ""

    return Rules(
        text("unencrypted_suffix"),
        text("encrypted_suffix"),
        text("unencrypted_regex"),
        text("encrypted_regex"),
        mac_only_encrypted=text("mac_only_encrypted") == "True",
    )


def _mistake(where: str, line: int, what: str, remedy: str) -> InputError:
    return InputError([Problem(f"{where}:{line}", what, remedy)])
