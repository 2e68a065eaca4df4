"""What every write to a store keeps right besides the secret it sets: its list of names, and its format."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Final

from hostmuster.errors import Refused
from hostmuster.secrets import entry, entry_text
from hostmuster.secrets.edit import insert, own_lines_of, replace
from hostmuster.secrets.entry import Entry
from hostmuster.secrets.envelope import seal
from hostmuster.secrets.kinds.kind import Accepted, Kind
from hostmuster.secrets.recipients import wrap
from hostmuster.secrets.sops import SopsFile, context, new_text
from hostmuster.secrets.tree import Branch, Leaf
from hostmuster.secrets.value import Secret

FORMAT: Final = 1
NEWEST_FORMAT: Final = 2  # since a secret may have `keys`; a store gets it with its first such secret


def check_format(file: SopsFile) -> None:
    """Raises Refused for a store that a newer hostmuster wrote."""
    version = file.tree.items.get("format_unencrypted")
    if isinstance(version, Leaf) and version.value not in (FORMAT, NEWEST_FORMAT):
        raise Refused(
            f"the store's format is {version.value}, this hostmuster knows {FORMAT} and {NEWEST_FORMAT}",
            where=f"{file.where}:{version.line}",
            remedy="use the newer hostmuster that wrote it",
        )


def begun(recipients: Sequence[str], first: Mapping[str, tuple[Kind, Accepted]], where: str) -> SopsFile:
    """A new file with its first secrets, under a data key of its own."""
    key = Secret(os.urandom(32))
    names = seal(Secret(" ".join(first)), key, context(("names",)))
    lines = [line for name, (kind, value) in first.items() for line in entry_text.lines(name, kind, value, key)]
    body = f"format_unencrypted: {FORMAT}\nnames: {names}\nsecrets:\n" + "".join(f"    {line}\n" for line in lines)
    return new_text(body, wrap(key, recipients), key, where)


def added(file: SopsFile, lines: list[str]) -> str:
    """The text with another secret after the last."""
    branch = file.tree.items["secrets"]
    assert isinstance(branch, Branch)  # noqa: S101 - entries() has refused anything else
    return insert(file.text, branch, lines)


def removed(file: SopsFile, name: str) -> str:
    """The text without a secret."""
    branch = file.tree.items["secrets"]
    assert isinstance(branch, Branch)  # noqa: S101 - entries() has refused anything else
    return replace(file.text, (), [own_lines_of(file.text, branch, name)])


def finished(text: str, where: str, key: Secret) -> SopsFile:
    """The changed text as a file: names and format as it now holds them, signed."""
    file = SopsFile.parse(text, where)
    found, _ = entry.entries(file.tree, where)
    names = seal(Secret(names_of(found)), key, context(("names",)))
    listed, version = file.tree.items.get("names"), file.tree.items.get("format_unencrypted")
    if not isinstance(listed, Leaf):
        text = insert(text, file.tree, [f"names: {names}"])
    changes = [(listed, names)] if isinstance(listed, Leaf) else []
    if isinstance(version, Leaf) and any(one.uses for one in found.values()):
        changes.append((version, str(NEWEST_FORMAT)))
    return SopsFile.parse(replace(text, changes), where).signed(key)


def names_of(found: Mapping[str, Entry]) -> str:
    """The list of names as it is sealed."""
    return " ".join(label for one in found.values() for label in one.labels)
