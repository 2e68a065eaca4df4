"""The secrets of one fleet: a SOPS file that is read as a whole or not at all, and always written whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from hostmuster.errors import InputError, Problem, Refused
from hostmuster.project import Project
from hostmuster.secrets import durable, entry, entry_text, rewriting, sshkeys
from hostmuster.secrets.any_store import admitted, one_of, require_removable, succeeded
from hostmuster.secrets.entry import Entry
from hostmuster.secrets.kinds.kind import Accepted, Kind
from hostmuster.secrets.name import check_name
from hostmuster.secrets.opened import Opened
from hostmuster.secrets.place import read_text, store_path
from hostmuster.secrets.recipients import Identities, wrap
from hostmuster.secrets.rekeying import readers_after, rekeyed
from hostmuster.secrets.sops import SopsFile
from hostmuster.secrets.succession import Succession
from hostmuster.secrets.value import Secret


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
        rewriting.check_format(file)
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
            made = rewriting.begun(recipients, first, str(path))
            durable.write(path, made.text)
        return cls.read(path, identities)

    @property
    def where(self) -> str:
        """The file, as it stands in messages."""
        return str(self.path)

    @property
    def version(self) -> int:
        """It counts none: git does."""
        return 0

    @property
    def past(self) -> str:
        """Whoever reads the store opens those, too."""
        return "git's history"

    @property
    def recipients(self) -> tuple[str, ...]:
        """Who can read it: age1... and ssh-ed25519 recipients."""
        return tuple(one.recipient for one in self.file.section.wrapped)

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
        return self._opened.values[name]

    def confidential(self) -> dict[str, Secret]:
        """Every value that must not be seen, by NAME, or NAME:LABEL for one of several: what redaction looks for."""
        return self._opened.confidential()

    def credentials(self) -> tuple[Secret, ...]:
        """None: an identity never leaves what opens the file with it."""
        return ()

    def fingerprint(self, name: str) -> str:
        """ssh-keygen's, of a public half; of a ring, the RFC 7638 thumbprint of the key that signs; else digits under
        a salt that only the store's readers know."""
        one = self._entry(name)
        if one.public:
            return sshkeys.fingerprint(one.public)
        if one.kind.fingerprint:
            return one.kind.fingerprint(self.value(name))
        return self.value(name).fingerprint(b"fingerprint" + self._opened.key.reveal())

    def verify(self) -> None:
        """Raises Tampered, with every finding, unless all values, public halves and the MAC hold."""
        self._opened.verify()

    def set(self, name: str, value: Secret, kind: str | None = None) -> Store:
        """Add a secret or replace its value; the store as it is then. Two writers wait for one another.

        Raises as `admitted`.
        """
        check_name(name)

        def text(now: Store) -> str:
            wanted, accepted = admitted(now, name, value, kind)
            if before := now.entries.get(name):
                return entry_text.rewritten(now.file.text, before, accepted, now._opened.key)
            return rewriting.added(now.file, entry_text.lines(name, wanted, accepted, now._opened.key))

        return self._with(text)

    def remove(self, name: str) -> Store:
        """Take a secret out; the store as it is then. Raises as `require_removable`."""

        def text(now: Store) -> str:
            require_removable(now, name)
            return rewriting.removed(now.file, name)

        return self._with(text)

    def turn(self, name: str, change: Callable[[Secret], Secret]) -> Store:
        """A step of a rotation: what the value is turned into, while nobody else writes; the store as it is then.

        Whether it may take that value's place is the planner's to say. Raises InputError for one that its kind refuses.
        """

        def text(now: Store) -> str:
            before = now._entry(name)
            accepted = before.kind.check(change(now.value(name)), name)
            return entry_text.rewritten(now.file.text, before, accepted, now._opened.key)

        return self._with(text)

    def succession(self, name: str) -> Succession:
        """A secret's value, and the one that is to take its place. Raises as `value`."""
        self.verify()
        self._entry(name)
        return self._opened.succession(name)

    def succeed(self, name: str, change: Callable[[Succession], Succession]) -> Store:
        """As `turn`, for a kind whose value is replaced by one that stands beside it first."""

        def text(now: Store) -> str:
            then = succeeded(now, name, change)
            return entry_text.succeeded(now.file.text, now._entry(name), now.succession(name), then, now._opened.key)

        return self._with(text)

    def rekey(self, add: Sequence[str] = (), remove: Sequence[str] = ()) -> Store:
        """Everything encrypted anew under a new data key, with recipients (in canonical form) added and removed.

        Raises Refused for one to remove who does not read it, when nobody would read it afterwards or no identity
        here, and where it has recipients other than age's.
        """
        with self._as_only_writer() as now:
            key = Secret(os.urandom(32))
            wrapped = wrap(key, readers_after(now.recipients, add, remove, str(self.path)))
            now._opened.key_in(wrapped)
            durable.write(self.path, rekeyed(now.file, now._opened.key, key, wrapped).text)
        return Store.read(self.path, self.identities)

    def _with(self, text: Callable[[Store], str]) -> Store:
        """The store as it is once it has this text, made of what it has while nobody else writes it."""
        with self._as_only_writer() as now:
            durable.write(self.path, rewriting.finished(text(now), now.file.where, now._opened.key).text)
        return Store.read(self.path, self.identities)

    @contextmanager
    def _as_only_writer(self) -> Iterator[Store]:
        """The store as it is now, verified, while nobody else writes it."""
        with durable.only_writer(self.path.resolve().parent):
            now = Store.read(self.path, self.identities)
            now.verify()
            yield now

    @cached_property
    def _opened(self) -> Opened:
        return Opened(self.file, self.entries, self.identities)

    def _entry(self, name: str) -> Entry:
        one_of(self, name)
        return self.entries[name]
