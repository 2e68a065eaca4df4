"""Says what was done to a store that does not hold: moved, changed, removed, added, put in clear.

SOPS itself says "MAC mismatch". An encrypted list of names (`names`, kept by every write) and the binding
of each value to its path let us name the secret and the line.
"""

from __future__ import annotations

from collections.abc import Iterator

from hostmuster.errors import InputError, Problem
from hostmuster.secrets import sshkeys
from hostmuster.secrets.entry import entries, path_of
from hostmuster.secrets.envelope import is_sealed, unseal
from hostmuster.secrets.sops import SopsFile, Unsealed, context
from hostmuster.secrets.tree import Branch, Leaf, Node, Path, walk
from hostmuster.secrets.value import Secret

_REMEDY = "find out who did it (git log -p), and put back the last good version"


class Tampered(InputError):
    """The store is not as hostmuster or the sops tool wrote it (exit code 3). Nothing in it is used."""


def explain(file: SopsFile, unsealed: Unsealed, key: Secret) -> list[Problem]:
    """What does not hold, with its line; empty when all is well."""
    if unsealed.mac_holds:
        return []
    listed = listed_names(unsealed)
    failures = [_failure(file, key, path, leaf, listed or []) for path, leaf in unsealed.failed]
    if failures:
        return failures
    if not file.mac_opens(key):
        where = f"{file.where}:{file.section.mac.line}"
        return [Problem(where, "the MAC and `lastmodified` do not belong together: one was changed", _REMEDY)]
    found = list(_names_differ(file, listed)) if listed is not None else []
    return found or [
        Problem(
            f"{file.where}:{file.section.mac.line}",
            "the MAC is wrong though every value opens: a kind, a public part or the order was "
            "changed, or an older value was put back",
            _REMEDY,
        )
    ]


def listed_names(unsealed: Unsealed) -> list[str] | None:
    """The names that stood in the store at the last write through hostmuster; None where it never wrote."""
    plain = unsealed.values.get(("names",))
    return plain[0].value.text().split() if plain else None


def exchanged(file: SopsFile, unsealed: Unsealed) -> list[Problem]:
    """Public halves that are not those of the sealed values: one was exchanged with the sops tool."""
    problems = []
    found, _ = entries(file.tree, file.where)
    for name, one in found.items():
        if one.kind.has_public and one.public is not None:
            where = f"{file.where}:{one.branch.line}"
            public = one.kind.check(one.value(unsealed.values), where).public
            if public is None or not sshkeys.same_key(one.public, public):
                remedy = "set the secret again; a change to one half alone is an attack or an accident"
                problems.append(Problem(where, f"{name}: the public part is not that of its value", remedy))
    return problems


def _failure(file: SopsFile, key: Secret, path: Path, leaf: Leaf, listed: list[str]) -> Problem:
    where = f"{file.where}:{leaf.line}"
    shown = _shown(path)
    if not is_sealed(leaf.value):
        if isinstance(leaf.value, str) and leaf.value.startswith("ENC["):
            return Problem(where, f"{shown}: the encrypted value is cut short", _REMEDY)
        return Problem(
            where,
            f"{shown}: the value stands here in clear",
            "it is exposed: put back the last good version and replace this secret",
        )
    elsewhere = [other for other, _ in walk(file.tree)] + [path_of(name) for name in listed]
    for other in elsewhere:
        if other != path and unseal(str(leaf.value), key, context(other)) is not None:
            return Problem(where, f"{shown}: this value was moved here from {_shown(other)}", _REMEDY)
    return Problem(where, f"{shown}: the value was changed, is damaged, or comes from another file", _REMEDY)


def _names_differ(file: SopsFile, listed: list[str]) -> Iterator[Problem]:
    there = _labels(file.tree.items.get("secrets"))
    for label in listed:
        if label not in there:
            yield Problem(file.where, f"{_noun(label)} was removed from the file by hand", _REMEDY)
    for label, line in there.items():
        if label not in listed:
            yield Problem(f"{file.where}:{line}", f"{_noun(label)} was added to the file by hand", _REMEDY)


def _labels(secrets: Node | None) -> dict[str, int]:
    """NAME, and NAME:LABEL for each of several values under it, with their lines."""
    found: dict[str, int] = {}
    for name, node in secrets.items.items() if isinstance(secrets, Branch) else ():
        found[name] = node.line
        keys = node.items.get("keys") if isinstance(node, Branch) else None
        if isinstance(keys, Branch):
            found |= {f"{name}:{label}": key.line for label, key in keys.items.items()}
    return found


def _noun(label: str) -> str:
    name, _, key = label.partition(":")
    return f"the key `{key}` of the secret `{name}`" if key else f"the secret `{name}`"


def _shown(path: Path) -> str:
    match path:
        case ("secrets", name, "value"):
            return name
        case ("secrets", name, "keys", label, "value"):
            return f"{name}:{label}"
    return ".".join(path)
