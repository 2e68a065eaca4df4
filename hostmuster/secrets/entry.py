"""One secret in a store's file: its kind and public half in clear, its value sealed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from hostmuster.errors import InputError, Problem
from hostmuster.secrets import kinds
from hostmuster.secrets.envelope import seal
from hostmuster.secrets.kinds import Accepted, Kind
from hostmuster.secrets.sops import context
from hostmuster.secrets.tree import Branch, Leaf, Path, insert, replace
from hostmuster.secrets.value import Secret

KIND = "kind_unencrypted"
PUBLIC = "public_unencrypted"


@dataclass(frozen=True)
class Entry:
    """A secret as it stands in the file; everything here is readable without a key."""

    name: str
    kind: Kind
    public: str | None
    branch: Branch

    @property
    def path(self) -> Path:
        """Where its value stands, which the value is bound to."""
        return ("secrets", self.name, "value")


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


def lines(name: str, kind: Kind, accepted: Accepted, key: Secret) -> list[str]:
    """A new secret's lines, to be indented under `secrets:`."""
    public = [f"    {PUBLIC}: {_quoted(accepted.public)}"] if accepted.public else []
    sealed = seal(accepted.value, key, context(("secrets", name, "value")))
    return [f"{name}:", f"    {KIND}: {kind.name}", *public, f"    value: {sealed}"]


def rewritten(text: str, entry: Entry, accepted: Accepted, key: Secret) -> str:
    """The file's text with another value for a secret that is in it."""
    parts = entry.branch.items
    new = {"value": seal(accepted.value, key, context(entry.path))}
    if accepted.public:
        new[PUBLIC] = _quoted(accepted.public)
    missing = [f"{part}: {value}" for part, value in new.items() if part not in parts]
    if missing:  # made with the sops tool, which knows nothing of public halves
        text = insert(text, entry.branch, missing)
    return replace(text, ((leaf, new[part]) for part, leaf in _leaves(parts.items()) if part in new))


def _entry(name: str, node: object, where: str) -> Entry:
    try:
        kinds.check_name(name)
    except InputError as error:
        raise InputError([Problem(where, one.what, one.remedy) for one in error.problems]) from error
    if not isinstance(node, Branch) or node.flow:
        raise InputError([Problem(where, f"`{name}` is not a block with `{KIND}` and `value`", _REMEDY)])
    parts = dict(_leaves(node.items.items()))
    if "value" not in parts:
        raise InputError([Problem(where, f"`{name}` has no `value`", _REMEDY)])
    if unknown := sorted(set(node.items) - {KIND, PUBLIC, "value"}):
        raise InputError([Problem(where, f"`{name}` has an unknown key `{unknown[0]}`", _REMEDY)])
    kind = kinds.kind_named(str(parts[KIND].value) if KIND in parts else kinds.kind_for(name), where)
    public = parts.get(PUBLIC)
    return Entry(name, kind, str(public.value) if public else None, node)


def _leaves(items: Iterable[tuple[str, object]]) -> Iterable[tuple[str, Leaf]]:
    return [(part, node) for part, node in items if isinstance(node, Leaf)]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


_REMEDY = "docs/secrets.md shows the shape of the file; put back the last good version, then use secrets.set"
