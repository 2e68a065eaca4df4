"""A SOPS file: which values are encrypted, for whom, and the MAC that holds them together.

Source: getsops/sops, sops.go (walk order, MAC, rules of what is encrypted), stores/stores.go (the `sops`
section) and cmd/sops/common/common.go (the MAC is bound to `lastmodified`). Own code, since Python has no
library for it; the primitives are cryptography's and pyrage's. Tested against the sops tool itself and an
independent reader.
"""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hostmuster.errors import InputError, Problem
from hostmuster.secrets.edit import replace
from hostmuster.secrets.envelope import Plain, go_float, is_sealed, seal, unseal
from hostmuster.secrets.tree import PUT_BACK, Branch, Leaf, Path, Row, Scalar, parse, walk
from hostmuster.secrets.value import Secret

_VERSION = "3.11.0"  # the release of sops whose format this is, and that the tests run
_MAC_ENCRYPTED_ONLY = hashlib.sha256(b"sops").digest()  # sops.go: MACOnlyEncryptedInitialization
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
class Unsealed:
    """What the data key opens: values by path, the leaves it does not open, and whether the MAC holds."""

    values: Mapping[Path, tuple[Plain, ...]]
    failed: tuple[tuple[Path, Leaf], ...]
    mac_holds: bool


@dataclass(frozen=True)
class SopsFile:
    """The text of a SOPS file, parsed."""

    text: str
    where: str
    tree: Branch
    wrapped: tuple[Wrapped, ...]
    modified: Leaf
    mac: Leaf
    rules: Rules

    @classmethod
    def parse(cls, text: str, where: str) -> SopsFile:
        """Raises InputError: no SOPS file, truncated, or with a feature that is not supported, by name."""
        tree = parse(text, where)
        section = tree.items.pop("sops", None)
        if not isinstance(section, Branch):
            raise _mistake(
                where,
                tree.line,
                "no `sops` section: the file was truncated, or was never encrypted",
                PUT_BACK,
            )
        for key in _UNSUPPORTED:
            if section.items.get(key):
                raise _mistake(where, section.line, f"`{key}` is not supported here", "use one list of age recipients")
        modified, mac = section.items.get("lastmodified"), section.items.get("mac")
        if not isinstance(modified, Leaf) or not isinstance(mac, Leaf) or not is_sealed(mac.value):
            raise _mistake(
                where,
                section.line,
                "the `sops` section lacks `lastmodified` or a whole `mac`: truncated",
                PUT_BACK,
            )
        return cls(text, where, tree, _wrapped(section, where), modified, mac, _rules(section))

    def unseal(self, key: Secret) -> Unsealed:
        """Every encrypted value opened with the data key. Raises nothing: the caller judges what failed."""
        values: dict[Path, tuple[Plain, ...]] = {}
        failed: list[tuple[Path, Leaf]] = []
        digest = self._digest()
        for path, leaf in walk(self.tree):
            if leaf.value is None:  # SOPS leaves a null as it is
                continue
            if not self.rules.encrypted(path):
                if not self.rules.mac_only_encrypted:
                    digest.update(_scalar_bytes(leaf.value))
                continue
            plain = unseal(leaf.value, key, context(path)) if isinstance(leaf.value, str) else None
            if plain is None:
                failed.append((path, leaf))
                continue
            digest.update(plain.mac_bytes())
            values[path] = (*values.get(path, ()), plain)
        expected = unseal(str(self.mac.value), key, str(self.modified.value))
        holds = expected is not None and expected.value == Secret(digest.hexdigest().upper())
        return Unsealed(values, tuple(failed), holds and not failed)

    def mac_opens(self, key: Secret) -> bool:
        """Whether the MAC itself is whole and belongs to the file's `lastmodified`."""
        return unseal(str(self.mac.value), key, str(self.modified.value)) is not None

    def signed(self, key: Secret) -> SopsFile:
        """The same file with `lastmodified` now and a fresh MAC over what it holds. Every value must open."""
        digest = self._digest()
        for path, leaf in walk(self.tree):
            if leaf.value is None or (self.rules.mac_only_encrypted and not self.rules.encrypted(path)):
                continue
            if self.rules.encrypted(path):
                plain = unseal(str(leaf.value), key, context(path))
                assert plain is not None  # noqa: S101 - only a file that opened is ever changed
                digest.update(plain.mac_bytes())
            else:
                digest.update(_scalar_bytes(leaf.value))
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        mac = seal(Secret(digest.hexdigest().upper()), key, now)
        return SopsFile.parse(replace(self.text, [(self.modified, f'"{now}"'), (self.mac, mac)]), self.where)

    def _digest(self) -> hashlib._Hash:
        return hashlib.sha512(_MAC_ENCRYPTED_ONLY if self.rules.mac_only_encrypted else b"")


def context(path: Path) -> str:
    """What an encrypted value is bound to: the keys that lead to it."""
    return ":".join(path) + ":"


def new_text(body: str, wrapped: Iterable[Wrapped], key: Secret, where: str) -> SopsFile:
    """A new file around a body whose values are already sealed."""
    mac = seal(Secret("unsigned"), key, "")  # replaced at once by signed()
    section = (
        f'sops:\n{age_lines(wrapped, 4)}    lastmodified: ""\n    mac: {mac}\n'
        f"    unencrypted_suffix: _unencrypted\n    version: {_VERSION}\n"
    )
    return SopsFile.parse(body + section, where).signed(key)


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


def _scalar_bytes(value: Scalar) -> bytes:
    return go_float(str(value)) if isinstance(value, float) else str(value).encode()


def _mistake(where: str, line: int, what: str, remedy: str) -> InputError:
    return InputError([Problem(f"{where}:{line}", what, remedy)])
