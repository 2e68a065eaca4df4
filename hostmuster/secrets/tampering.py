"""Says what was done to a store that does not hold: moved, changed, removed, added, put in clear.

SOPS itself says "MAC mismatch". An encrypted list of names (`names`, kept by every write) and the binding
of each value to its path let us name the secret and the line.
"""

from __future__ import annotations

from collections.abc import Iterator

from hostmuster.errors import InputError, Problem
from hostmuster.secrets.envelope import is_sealed, unseal
from hostmuster.secrets.sops import SopsFile, Unsealed, context
from hostmuster.secrets.tree import Branch, Leaf, Path, walk
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
        where = f"{file.where}:{file.mac.line}"
        return [Problem(where, "the MAC and `lastmodified` do not belong together: one was changed", _REMEDY)]
    found = list(_names_differ(file, listed)) if listed is not None else []
    return found or [
        Problem(
            f"{file.where}:{file.mac.line}",
            "the MAC is wrong though every value opens: a kind, a public part or the order was "
            "changed, or an older value was put back",
            _REMEDY,
        )
    ]


def listed_names(unsealed: Unsealed) -> list[str] | None:
    """The names that stood in the store at the last write through hostmuster; None where it never wrote."""
    plain = unsealed.values.get(("names",))
    return plain[0].value.text().split() if plain else None


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
    elsewhere = [other for other, _ in walk(file.tree)] + [("secrets", name, "value") for name in listed]
    for other in elsewhere:
        if other != path and unseal(str(leaf.value), key, context(other)) is not None:
            return Problem(where, f"{shown}: this value was moved here from {_shown(other)}", _REMEDY)
    return Problem(where, f"{shown}: the value was changed, is damaged, or comes from another file", _REMEDY)


def _names_differ(file: SopsFile, listed: list[str]) -> Iterator[Problem]:
    branch = file.tree.items.get("secrets")
    items = branch.items if isinstance(branch, Branch) else {}
    for name in listed:
        if name not in items:
            yield Problem(file.where, f"the secret `{name}` was removed from the file by hand", _REMEDY)
    for name, node in items.items():
        if name not in listed:
            yield Problem(f"{file.where}:{node.line}", f"the secret `{name}` was added to the file by hand", _REMEDY)


def _shown(path: Path) -> str:
    return path[1] if len(path) == 3 and path[0] == "secrets" and path[2] == "value" else ".".join(path)
