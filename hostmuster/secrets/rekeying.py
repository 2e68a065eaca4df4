"""A new data key for a store: all that is sealed is sealed anew, for the recipients there shall be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hostmuster.errors import Refused
from hostmuster.secrets.edit import lines_of, replace
from hostmuster.secrets.envelope import seal, unseal
from hostmuster.secrets.sops import SopsFile, context
from hostmuster.secrets.sops_section import Wrapped, age_lines
from hostmuster.secrets.tree import Branch, Leaf, Path, Row, parse, walk
from hostmuster.secrets.value import Secret

_COMMENT = re.compile(r"#(ENC\[AES256_GCM,[^\]\n]*\])")
_OTHERS = ("kms", "gcp_kms", "azure_kv", "hc_vault", "pgp", "hckms")


def readers_after(now: Sequence[str], add: Sequence[str], remove: Sequence[str], where: str) -> list[str]:
    """Who reads a store then, in the order they came. Raises Refused for a stranger to remove, and for nobody left."""
    if unknown := [one for one in remove if one not in now]:
        readers = "\n    ".join(["it can be read by", *now])
        raise Refused(f"{unknown[0]} does not read the store", where=where, remedy=readers)
    then = [one for one in dict.fromkeys([*now, *add]) if one not in remove]
    if not then:
        raise Refused("nobody would read the store any more", where=where, remedy="add somebody at the same time")
    return then


def rekeyed(file: SopsFile, old: Secret, new: Secret, wrapped: Sequence[Wrapped]) -> SopsFile:
    """The file under another data key, for other recipients; every value must open with the old one.

    The key that is replaced opens older versions of the file for ever, but nothing written from now on. Raises
    Refused where the file has recipients other than age's, who would be left with the key that is replaced.
    """
    changes: list[tuple[Leaf, str]] = []
    for path, leaf in walk(file.tree):
        plain = unseal(str(leaf.value), old, context(path)) if file.section.rules.encrypted(path) else None
        if plain is not None and leaf.value is not None:
            changes.append((leaf, seal(plain.value, new, context(path), plain.tag)))
    changes += _comments(file, old, new)
    return SopsFile.parse(_for_recipients(replace(file.text, changes), file.where, wrapped), file.where).signed(new)


def _comments(file: SopsFile, old: Secret, new: Secret) -> Iterator[tuple[Leaf, str]]:
    """The sops tool encrypts comments too, each bound to the path of the mapping it stands in."""
    paths = list(_mappings(file.tree))
    for found in _COMMENT.finditer(file.text):
        for path in paths:
            plain = unseal(found[1], old, context(path))
            if plain is not None:
                yield Leaf(None, *found.span(1), 0), seal(plain.value, new, context(path), plain.tag)
                break


def _mappings(branch: Branch, path: Path = ()) -> Iterator[Path]:
    yield path
    for key, node in branch.items.items():
        if isinstance(node, Branch):
            yield from _mappings(node, (*path, key))


def _for_recipients(text: str, where: str, wrapped: Sequence[Wrapped]) -> str:
    section = parse(text, where).items["sops"]
    assert isinstance(section, Branch)  # noqa: S101 - SopsFile.parse has refused anything else
    for others in _OTHERS:
        row = section.items.get(others)
        if isinstance(row, Row) and row.items:
            raise Refused(
                f"the store has recipients under `{others}` too, which only the sops tool can rekey",
                where=f"{where}:{row.line}",
                remedy="sops rotate --in-place FILE",
            )
    start, end = lines_of(text, section, "age")
    return text[:start] + age_lines(wrapped, section.column) + text[end:]
