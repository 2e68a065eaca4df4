"""The lines of a secret in a store's file: written, and changed where they stand."""

from __future__ import annotations

import json

from hostmuster.secrets.edit import insert, own_lines_of, replace
from hostmuster.secrets.entry import KEYS, KIND, NEXT, PUBLIC, USE, Entry, leaves, path_of
from hostmuster.secrets.envelope import seal
from hostmuster.secrets.kinds.kind import Accepted, Kind, Part
from hostmuster.secrets.sops import context
from hostmuster.secrets.succession import Succession
from hostmuster.secrets.tree import Branch
from hostmuster.secrets.value import Secret


def lines(name: str, kind: Kind, accepted: Accepted, key: Secret) -> list[str]:
    """A new secret's lines, to be indented under `secrets:`."""
    head = [f"{name}:", f"    {KIND}: {kind.name}"]
    if kind.parts:
        parts = [line for part in kind.parts.split(accepted.value) for line in _part_lines(name, part, key)]
        return [*head, f"    {KEYS}:", *(f"        {line}" for line in parts)]
    public = [f"    {PUBLIC}: {_quoted(accepted.public)}"] if accepted.public else []
    return [*head, *public, f"    value: {seal(accepted.value, key, context(path_of(name)))}"]


def rewritten(text: str, entry: Entry, accepted: Accepted, key: Secret) -> str:
    """The file's text with another value for a secret that is in it."""
    if entry.kind.parts:
        return _parts_rewritten(text, entry, entry.kind.parts.split(accepted.value), key)
    parts = entry.branch.items
    new = {"value": seal(accepted.value, key, context(path_of(entry.name)))}
    if accepted.public:
        new[PUBLIC] = _quoted(accepted.public)
    missing = [f"{part}: {value}" for part, value in new.items() if part not in parts]
    if missing:  # made with the sops tool, which knows nothing of public halves
        text = insert(text, entry.branch, missing)
    return replace(text, ((leaf, new[part]) for part, leaf in leaves(parts.items()) if part in new))


def succeeded(text: str, entry: Entry, now: Succession, then: Succession, key: Secret) -> str:
    """The file's text with another succession; of what stays as it is, no line changes."""
    gone = [own_lines_of(text, entry.branch, KEYS)] if now.next and now.next != then.next else []
    if then.next and now.next != then.next:
        part = _part_lines(entry.name, Part(NEXT, "next", then.next), key)
        text = insert(text, entry.branch, [f"{KEYS}:", *(f"    {line}" for line in part)])
    if now.current == then.current:
        return replace(text, (), gone)
    new = seal(then.current, key, context(path_of(entry.name)))
    return replace(text, ((leaf, new) for part, leaf in leaves(entry.branch.items.items()) if part == "value"), gone)


def _parts_rewritten(text: str, entry: Entry, parts: tuple[Part, ...], key: Secret) -> str:
    """Keys that are there change their use or go, others come after them."""
    keys = entry.branch.items[KEYS]
    assert isinstance(keys, Branch)  # noqa: S101 - _uses() has refused anything else
    uses = {part.label: part.use for part in parts}
    gone = [own_lines_of(text, keys, label) for label in entry.uses if label not in uses]
    text = insert(
        text,
        keys,
        [line for part in parts if part.label not in entry.uses for line in _part_lines(entry.name, part, key)],
    )
    nodes = ((label, node) for label, node in keys.items.items() if isinstance(node, Branch) and label in uses)
    found = ((uses[label], leaf) for label, node in nodes for part, leaf in leaves(node.items.items()) if part == USE)
    return replace(text, ((leaf, use) for use, leaf in found if leaf.value != use), gone)


def _part_lines(name: str, part: Part, key: Secret) -> list[str]:
    sealed = seal(part.value, key, context(path_of(f"{name}:{part.label}")))
    return [f"{_quoted(part.label)}:", f"    {USE}: {part.use}", f"    value: {sealed}"]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
