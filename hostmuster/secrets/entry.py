"""One secret in a store's file: its kind and public half in clear, its value sealed.

A kind of several values has them under `keys`, each with what it is for, and each bound to its own path; so is the one
that is to take the place of a value, beside that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import get_args

from hostmuster.errors import InputError, Problem
from hostmuster.secrets.envelope import Plain
from hostmuster.secrets.kinds.catalogue import kind_for, kind_named
from hostmuster.secrets.kinds.kind import Kind, Part, Use
from hostmuster.secrets.name import check_name
from hostmuster.secrets.succession import Succession
from hostmuster.secrets.tree import Branch, Leaf, Path
from hostmuster.secrets.value import Secret

KIND = "kind_unencrypted"
PUBLIC = "public_unencrypted"
USE = "use_unencrypted"
KEYS = "keys"
NEXT = "next"
"""Beside a value: what the one that is to take its place is called, and what it is for."""


@dataclass(frozen=True)
class Entry:
    """A secret as it stands in the file; everything here is readable without a key.

    `uses`: of a kind of several values, what each is for; else of what stands beside the value.
    """

    name: str
    kind: Kind
    public: str | None
    branch: Branch
    uses: Mapping[str, Use] = field(default_factory=dict)

    def sealed(self) -> dict[str, Path]:
        """Where its values stand, which each is bound to, by the secret's name or `NAME:LABEL`."""
        shown = self.labels if self.kind.parts is None else self.labels[1:]
        return {one: path_of(one) for one in shown}

    @property
    def labels(self) -> tuple[str, ...]:
        """What the store's sealed list of names says of it: its name, and NAME:LABEL for each of several values."""
        return (self.name, *(f"{self.name}:{label}" for label in self.uses))

    @property
    def phase(self) -> str | None:
        """Of a secret that is being replaced, by what the store says: the step that was begun last; None at rest."""
        return self.kind.phase(self.uses.values())

    def value(self, values: Mapping[Path, tuple[Plain, ...]]) -> Secret:
        """The whole value that is in use, out of what the file's key has opened."""
        opened = [values[path][0].value for path in self.sealed().values()]
        if self.kind.parts is None:
            return opened[0]
        parts = zip(self.uses.items(), opened, strict=True)
        return self.kind.parts.join(tuple(Part(label, use, value) for (label, use), value in parts))

    def succession(self, values: Mapping[Path, tuple[Plain, ...]]) -> Succession:
        """The value, and the one that is to take its place."""
        return Succession(*(values[path][0].value for path in self.sealed().values()))


def path_of(shown: str) -> Path:
    """Where the value of NAME or NAME:LABEL stands."""
    name, _, label = shown.partition(":")
    return ("secrets", name, KEYS, label, "value") if label else ("secrets", name, "value")


def entries(tree: Branch, where: str) -> tuple[dict[str, Entry], list[Problem]]:
    """The secrets of a file in its order, and what is wrong with the rest."""
    found: dict[str, Entry] = {}
    problems: list[Problem] = []
    branch = tree.items.get("secrets")
    if not isinstance(branch, Branch) or branch.flow:
        return {}, [Problem(f"{where}:{tree.line}", "no `secrets:` mapping in it", _REMEDY)]
    for name, node in branch.items.items():
        try:
            found[name] = _entry(name, node, f"{where}:{node.line}")
        except InputError as error:
            problems += error.problems
    return found, problems


def _entry(name: str, node: object, where: str) -> Entry:
    try:
        check_name(name)
    except InputError as error:
        raise InputError([Problem(where, one.what, one.remedy) for one in error.problems]) from error
    if not isinstance(node, Branch) or node.flow:
        raise InputError([Problem(where, f"`{name}` is not a block with `{KIND}` and `value`", _REMEDY)])
    parts = dict(leaves(node.items.items()))
    kind = kind_named(str(parts[KIND].value) if KIND in parts else kind_for(name), where)
    content = KEYS if kind.parts else "value"
    if content not in (node.items if kind.parts else parts):
        raise InputError([Problem(where, f"`{name}` has no `{content}`", _REMEDY)])
    if unknown := sorted(set(node.items) - {KIND, PUBLIC, content, *([KEYS] if kind.succeeds else [])}):
        raise InputError([Problem(where, f"`{name}` has an unknown key `{unknown[0]}`", _REMEDY)])
    public = parts.get(PUBLIC)
    uses = _uses(name, node.items[KEYS], where) if KEYS in node.items else {}
    if problem := kind.mistaken_uses(list(uses.values())):
        raise InputError([Problem(where, f"`{name}`: {problem}", _REMEDY)])
    return Entry(name, kind, str(public.value) if public else None, node, uses)


def _uses(name: str, keys: object, where: str) -> dict[str, Use]:
    if not isinstance(keys, Branch) or keys.flow:
        raise InputError([Problem(where, f"`{name}` has no block of `{KEYS}`", _REMEDY)])
    uses: dict[str, Use] = {}
    for label, node in keys.items.items():
        parts = dict(leaves(node.items.items())) if isinstance(node, Branch) else {}
        use = next((known for known in get_args(Use) if USE in parts and known == parts[USE].value), None)
        if use is None or set(parts) != {USE, "value"} or label.endswith("_unencrypted") or ":" in label:
            shape = f"`{USE}: current`, `next`, `previous` or `revoked`, and `value`"
            raise InputError(
                [Problem(f"{where[: where.rindex(':')]}:{node.line}", f"`{name}`: a key needs {shape}", _REMEDY)]
            )
        uses[label] = use
    return uses


def leaves(items: Iterable[tuple[str, object]]) -> Iterator[tuple[str, Leaf]]:
    """Those parts of a block that are plain values."""
    return ((part, node) for part, node in items if isinstance(node, Leaf))


_REMEDY = "docs/secrets.md shows the shape of the file; put back the last good version, then use secrets.set"
