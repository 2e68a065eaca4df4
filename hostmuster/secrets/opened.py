"""A store's file as it is to whoever reads it: opened by an identity, and used only once all of it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hostmuster.secrets.entry import Entry
from hostmuster.secrets.recipients import Identities, unwrap
from hostmuster.secrets.sops import SopsFile, Unsealed
from hostmuster.secrets.sops_section import Wrapped
from hostmuster.secrets.succession import Succession
from hostmuster.secrets.tampering import Tampered, exchanged, explain
from hostmuster.secrets.value import Secret


@dataclass(frozen=True)
class Opened:
    """What `identities` (None: the operator's) make of a file; each part when it is first asked for, and once."""

    file: SopsFile
    entries: Mapping[str, Entry]
    identities: Identities | None = field(default=None, compare=False)

    def key_in(self, wrapped: Sequence[Wrapped]) -> Secret:
        """The data key that is wrapped for one of the identities. Raises Refused where it is for none."""
        return unwrap(wrapped, self.identities or Identities.of_operator(), self.file.where)

    @cached_property
    def key(self) -> Secret:
        """The file's own data key. Raises as `key_in`."""
        return self.key_in(self.file.section.wrapped)

    @cached_property
    def values(self) -> dict[str, Secret]:
        """Every secret's. Raises Tampered, with every finding, unless all values, public halves and the MAC hold."""
        problems = explain(self.file, self._unsealed, self.key) or exchanged(self.file, self._unsealed)
        if problems:
            raise Tampered(problems)
        return {name: one.value(self._unsealed.values) for name, one in self.entries.items()}

    def confidential(self) -> dict[str, Secret]:
        """Every value that must not be seen, by NAME, or NAME:LABEL for one of several. Raises as `values`."""
        self.verify()
        hidden = [one for one in self.entries.values() if one.kind.confidential]
        return {label: self._unsealed.values[path][0].value for one in hidden for label, path in one.sealed().items()}

    def succession(self, name: str) -> Succession:
        """A secret's value, and the one that is to take its place. Raises as `values`."""
        self.verify()
        return self.entries[name].succession(self._unsealed.values)

    def verify(self) -> None:
        """Raises as `values`."""
        assert self.values is not None  # noqa: S101 - computing it is the check

    @cached_property
    def _unsealed(self) -> Unsealed:
        return self.file.unseal(self.key)
