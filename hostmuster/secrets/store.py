"""The secrets of one fleet: a SOPS file that is read as a whole or not at all, and always written whole."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from hostmuster.errors import InputError, Problem, Refused
from hostmuster.project import Project
from hostmuster.secrets import durable, entry, kinds, sshkeys
from hostmuster.secrets.entry import Entry
from hostmuster.secrets.envelope import seal
from hostmuster.secrets.kinds import Accepted, Kind
from hostmuster.secrets.place import read_text, store_path
from hostmuster.secrets.recipients import Identities, unwrap, wrap
from hostmuster.secrets.sops import SopsFile, Unsealed, context, new_text
from hostmuster.secrets.tampering import Tampered, explain
from hostmuster.secrets.tree import Branch, Leaf, insert, replace
from hostmuster.secrets.value import Secret

FORMAT: Final = 1


@dataclass(frozen=True)
class Store:
    """A fleet's secrets. Names, kinds and public halves need no key; the first value asked for opens and
    verifies the whole file, so that nothing of a file that was tampered with is ever used."""

    path: Path
    file: SopsFile
    entries: dict[str, Entry]
    identities: Identities | None = field(default=None, compare=False)

    @classmethod
    def open(cls, project: Project, fleet: str, folder: Path | None = None) -> Store:
        """Raises Refused when there is none, InputError when its text is broken (every mistake at once)."""
        return cls.read(store_path(project, fleet, folder))

    @classmethod
    def read(cls, path: Path, identities: Identities | None = None) -> Store:
        """As open, for a path; `identities` in place of the operator's."""
        file = SopsFile.parse(read_text(path), str(path))
        version = file.tree.items.get("format_unencrypted")
        if isinstance(version, Leaf) and version.value != FORMAT:
            raise Refused(
                f"the store's format is {version.value}, this hostmuster knows {FORMAT}",
                where=f"{path}:{version.line}",
                remedy="use the newer hostmuster that wrote it",
            )
        found, problems = entry.entries(file.tree, str(path))
        if problems:
            raise InputError(problems)
        return cls(path, file, found, identities)

    @classmethod
    def create(
        cls,
        path: Path,
        recipients: Sequence[str],
        first: Mapping[str, tuple[Kind, Accepted]],
        identities: Identities | None = None,
    ) -> Store:
        """A store with its first secrets (one at least), for recipients in canonical form.

        Raises Refused when there is one already.
        """
        with durable.only_writer(durable.folder(path.parent)):
            if path.exists() or path.is_symlink():
                raise Refused("there is a store already", where=str(path), remedy="secrets.list shows what it holds")
            key = Secret(os.urandom(32))
            names = seal(Secret(" ".join(first)), key, context(("names",)))
            lines = [line for name, (kind, value) in first.items() for line in entry.lines(name, kind, value, key)]
            body = f"format_unencrypted: {FORMAT}\nnames: {names}\nsecrets:\n"
            body += "".join(f"    {line}\n" for line in lines)
            made = new_text(body, wrap(key, recipients), key, str(path))
            durable.write(path, made.text)
        return cls.read(path, identities)

    @property
    def recipients(self) -> tuple[str, ...]:
        """Who can read it: age1... and ssh-ed25519 recipients."""
        return tuple(one.recipient for one in self.file.wrapped)

    def names(self) -> tuple[str, ...]:
        """Every secret's name, in file order."""
        return tuple(self.entries)

    def public(self) -> dict[str, str]:
        """Public halves by NAME.pub (`ssh-ca.pub`), read without a key and so not yet verified.

        Whatever opens a value afterwards (every run that logs in does) verifies these too. Raises InputError
        where one is missing, as in a secret made with the sops tool: nobody's key is left out in silence.
        """
        lacking = [
            Problem(f"{self.path}:{one.branch.line}", f"{name} has no public part", f"write it: secrets.set {name}")
            for name, one in self.entries.items()
            if one.kind.has_public and not one.public
        ]
        if lacking:
            raise InputError(lacking)
        return {f"{name}.pub": one.public for name, one in self.entries.items() if one.public}

    def value(self, name: str) -> Secret:
        """A secret's value. Raises Refused (unknown, or no identity opens the store) and Tampered."""
        self._entry(name)
        return self._verified[name]

    def confidential(self) -> dict[str, Secret]:
        """Every value that must not be seen, by name: what redaction looks for."""
        return {name: self._verified[name] for name, one in self.entries.items() if one.kind.confidential}

    def fingerprint(self, name: str) -> str:
        """ssh-keygen's, of a public half; else digits under a salt that only the store's readers know."""
        one = self._entry(name)
        if one.public:
            return sshkeys.fingerprint(one.public)
        return self.value(name).fingerprint(b"fingerprint" + self._key.reveal())

    def verify(self) -> None:
        """Raises Tampered, with every finding, unless all values, public halves and the MAC hold."""
        assert self._verified is not None  # noqa: S101 - computing it is the check

    def set(self, name: str, value: Secret, kind: str | None = None) -> Store:
        """Add a secret or replace its value; the store as it is then. Two writers wait for one another.

        Raises InputError for a value that its kind refuses, Refused for another kind than the secret has.
        """
        kinds.check_name(name)
        with durable.only_writer(self.path.resolve().parent):
            now = Store.read(self.path, self.identities)
            now.verify()
            before = now.entries.get(name)
            wanted = kinds.kind_named(kind or (before.kind.name if before else kinds.kind_for(name)), name)
            if before and before.kind.name != wanted.name:
                raise Refused(
                    f"`{name}` is of kind {before.kind.name}, not {wanted.name}",
                    where=str(self.path),
                    remedy="give the new one another name",
                )
            accepted = wanted.check(value, name)
            key = now._key  # the same class: another reading of the same file
            text = (
                entry.rewritten(now.file.text, before, accepted, key)
                if before
                else _added(now, entry.lines(name, wanted, accepted, key))
            )
            changed = _with_names(SopsFile.parse(text, now.file.where), key).signed(key)
            durable.write(self.path, changed.text)
        return Store.read(self.path, self.identities)

    @cached_property
    def _key(self) -> Secret:
        return unwrap(self.file.wrapped, self.identities or Identities.of_operator(), str(self.path))

    @cached_property
    def _verified(self) -> dict[str, Secret]:
        unsealed = self.file.unseal(self._key)
        problems = explain(self.file, unsealed, self._key) or list(self._mismatched(unsealed))
        if problems:
            raise Tampered(problems)
        return {name: unsealed.values[one.path][0].value for name, one in self.entries.items()}

    def _mismatched(self, unsealed: Unsealed) -> list[Problem]:
        """Public halves that are not those of the sealed values: one was exchanged with the sops tool."""
        problems = []
        for name, one in self.entries.items():
            where = f"{self.path}:{one.branch.line}"
            accepted = one.kind.check(unsealed.values[one.path][0].value, where)
            if not _matches(one, accepted):
                problems.append(
                    Problem(
                        where,
                        f"{name}: the public part is not that of its value",
                        "set the secret again; a change to one half alone is an attack or an accident",
                    )
                )
        return problems

    def _entry(self, name: str) -> Entry:
        if name not in self.entries:
            raise Refused(
                f"no secret named `{name}`",
                where=str(self.path),
                remedy=f"it has: {', '.join(self.entries) or 'none yet'}",
            )
        return self.entries[name]


def _matches(one: Entry, accepted: Accepted) -> bool:
    if accepted.public is None or one.public is None:
        return accepted.public == one.public or one.public is None
    return sshkeys.same_key(one.public, accepted.public)


def _added(store: Store, lines: list[str]) -> str:
    branch = store.file.tree.items["secrets"]
    assert isinstance(branch, Branch)  # noqa: S101 - entries() has refused anything else
    return insert(store.file.text, branch, lines)


def _with_names(file: SopsFile, key: Secret) -> SopsFile:
    found, _ = entry.entries(file.tree, file.where)
    sealed = seal(Secret(" ".join(found)), key, context(("names",)))
    leaf = file.tree.items.get("names")
    text = (
        replace(file.text, [(leaf, sealed)])
        if isinstance(leaf, Leaf)
        else insert(file.text, file.tree, [f"names: {sealed}"])
    )
    return SopsFile.parse(text, file.where)
