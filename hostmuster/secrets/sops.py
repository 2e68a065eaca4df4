"""A SOPS file: its encrypted values, and the MAC that holds them together.

Source: getsops/sops, sops.go (walk order, MAC) and cmd/sops/common/common.go (the MAC is bound to `lastmodified`).
Own code, since Python has no library for it; the primitives are cryptography's and pyrage's. Tested against the sops
tool itself and an independent reader.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hostmuster.secrets.edit import replace
from hostmuster.secrets.envelope import Plain, go_float, seal, unseal
from hostmuster.secrets.sops_section import Section, Wrapped, new_section
from hostmuster.secrets.tree import Branch, Leaf, Path, Scalar, parse, walk
from hostmuster.secrets.value import Secret

_MAC_ENCRYPTED_ONLY = hashlib.sha256(b"sops").digest()  # sops.go: MACOnlyEncryptedInitialization


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
    section: Section

    @classmethod
    def parse(cls, text: str, where: str) -> SopsFile:
        """Raises InputError as the section."""
        tree = parse(text, where)
        return cls(text, where, tree, Section.taken_from(tree, where))

    def unseal(self, key: Secret) -> Unsealed:
        """Every encrypted value opened with the data key. Raises nothing: the caller judges what failed."""
        values: dict[Path, tuple[Plain, ...]] = {}
        failed: list[tuple[Path, Leaf]] = []
        digest = self._digest()
        for path, leaf in walk(self.tree):
            if leaf.value is None:  # SOPS leaves a null as it is
                continue
            if not self.section.rules.encrypted(path):
                if not self.section.rules.mac_only_encrypted:
                    digest.update(_scalar_bytes(leaf.value))
                continue
            plain = unseal(leaf.value, key, context(path)) if isinstance(leaf.value, str) else None
            if plain is None:
                failed.append((path, leaf))
                continue
            digest.update(plain.mac_bytes())
            values[path] = (*values.get(path, ()), plain)
        expected = unseal(str(self.section.mac.value), key, str(self.section.modified.value))
        holds = expected is not None and expected.value == Secret(digest.hexdigest().upper())
        return Unsealed(values, tuple(failed), holds and not failed)

    def mac_opens(self, key: Secret) -> bool:
        """Whether the MAC itself is whole and belongs to the file's `lastmodified`."""
        return unseal(str(self.section.mac.value), key, str(self.section.modified.value)) is not None

    def signed(self, key: Secret) -> SopsFile:
        """The same file with `lastmodified` now and a fresh MAC over what it holds. Every value must open."""
        digest = self._digest()
        for path, leaf in walk(self.tree):
            if leaf.value is None or (self.section.rules.mac_only_encrypted and not self.section.rules.encrypted(path)):
                continue
            if self.section.rules.encrypted(path):
                plain = unseal(str(leaf.value), key, context(path))
                assert plain is not None  # noqa: S101 - only a file that opened is ever changed
                digest.update(plain.mac_bytes())
            else:
                digest.update(_scalar_bytes(leaf.value))
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        mac = seal(Secret(digest.hexdigest().upper()), key, now)
        return SopsFile.parse(
            replace(self.text, [(self.section.modified, f'"{now}"'), (self.section.mac, mac)]), self.where
        )

    def _digest(self) -> hashlib._Hash:
        return hashlib.sha512(_MAC_ENCRYPTED_ONLY if self.section.rules.mac_only_encrypted else b"")


def context(path: Path) -> str:
    """What an encrypted value is bound to: the keys that lead to it."""
    return ":".join(path) + ":"


def new_text(body: str, wrapped: Iterable[Wrapped], key: Secret, where: str) -> SopsFile:
    """A new file around a body whose values are already sealed."""
    mac = seal(Secret("unsigned"), key, "")  # replaced at once by signed()
    return SopsFile.parse(body + new_section(wrapped, mac), where).signed(key)


def _scalar_bytes(value: Scalar) -> bytes:
    return go_float(str(value)) if isinstance(value, float) else str(value).encode()
