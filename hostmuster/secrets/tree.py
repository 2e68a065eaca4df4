"""The YAML of a SOPS file as a tree whose leaves know where they stand, so an edit touches nothing else.

Built on PyYAML's parser events: nothing is constructed or expanded, comments and layout written by the
sops tool survive, and a change to one secret is a change to a few lines in git.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hostmuster.errors import InputError, Problem

if TYPE_CHECKING:
    import yaml

PUT_BACK = "put back the last good version from git"

Path = tuple[str, ...]
Scalar = None | bool | int | float | str

_CONFLICT = re.compile(r"^(<{7} |={7}$|>{7} |\|{7} )", re.MULTILINE)
_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class Leaf:
    """A scalar: its value as YAML 1.2 reads it, and its place in the text (characters; line from 1)."""

    value: Scalar
    start: int
    end: int
    line: int


@dataclass
class Branch:
    """A mapping, in file order, with the column of its keys and the offset where the text after it begins.

    `starts` says where each key stands (characters).
    """

    line: int
    column: int = 0
    end: int = 0
    flow: bool = False
    items: dict[str, Node] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=dict)


@dataclass
class Row:
    """A list."""

    line: int
    items: list[Node] = field(default_factory=list)


Node = Leaf | Branch | Row


def parse(text: str, where: str) -> Branch:
    """The tree of a file's text.

    Raises InputError for merge conflict markers, broken YAML, duplicate keys, aliases, tags, a second
    document, and for text that is no mapping.
    """
    import yaml

    if conflict := _CONFLICT.search(text):
        raise _mistake(
            where,
            text.count("\n", 0, conflict.start()) + 1,
            "git's merge conflict markers",
            "take one side whole (git checkout --ours FILE), then set the other side's again",
        )
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _document(yaml.parse(text, Loader=loader), where)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        broken = f"not readable as YAML: {error.problem or error.context}; truncated or edited by hand?"
    raise _mistake(where, line, broken, PUT_BACK)


def walk(branch: Branch, path: Path = ()) -> Iterator[tuple[Path, Leaf]]:
    """Every leaf in file order with the keys leading to it. A list adds nothing to the path, as in SOPS."""
    for key, node in branch.items.items():
        yield from _leaves(node, (*path, key))


def _leaves(node: Node, path: Path) -> Iterator[tuple[Path, Leaf]]:
    if isinstance(node, Leaf):
        yield path, node
    elif isinstance(node, Branch):
        yield from walk(node, path)
    else:
        for item in node.items:
            yield from _leaves(item, path)


def _document(events: Iterator[yaml.Event], where: str) -> Branch:
    import yaml

    tree: Node | None = None
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            if tree is not None:
                raise _mistake(where, _line(event), "a second YAML document", "a store is one document")
            tree = _node(next(events), events, where)
    if not isinstance(tree, Branch):
        raise _mistake(where, 1, "not a mapping of secrets: empty or truncated", PUT_BACK)
    return tree


def _node(event: yaml.Event, events: Iterator[yaml.Event], where: str) -> Node:
    import yaml

    line = _line(event)
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
        raise _mistake(where, line, "a YAML alias, anchor or tag", "write the value itself")
    if isinstance(event, yaml.ScalarEvent):
        value = _plain(event.value) if event.implicit[0] else str(event.value)
        return Leaf(value, *_span(event), line)
    if isinstance(event, yaml.SequenceStartEvent):
        row = Row(line)
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            row.items.append(_node(event, events, where))
        return row
    branch = Branch(line, _column(event), flow=bool(getattr(event, "flow_style", False)))
    while not isinstance(key := next(events), yaml.MappingEndEvent):
        name = _key(key, branch, where)
        branch.starts[name] = _span(key)[0]
        branch.items[name] = _node(next(events), events, where)
    branch.end = _span(key)[1]
    return branch


def _key(event: yaml.Event, branch: Branch, where: str) -> str:
    line = _line(event)
    name = getattr(event, "value", None)
    if not isinstance(name, str) or getattr(event, "anchor", None) or getattr(event, "tag", None):
        raise _mistake(where, line, "a key that is not plain text", "keys are names such as `ssh-ca`")
    if name in branch.items:
        raise _mistake(
            where,
            line,
            f"the key `{name}` stands twice, first on line {branch.items[name].line}",
            "a bad merge? put back the last version from git, then set the secret again",
        )
    return name


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _column(event: yaml.Event) -> int:
    return event.start_mark.column if event.start_mark else 0


def _span(event: yaml.Event) -> tuple[int, int]:
    assert event.start_mark and event.end_mark  # noqa: S101 - every event that was parsed has both
    return event.start_mark.index, event.end_mark.index


def _plain(word: str) -> Scalar:
    if word in {"", "~", "null", "Null", "NULL"}:
        return None
    if word in {"true", "True", "TRUE", "false", "False", "FALSE"}:
        return word.lower() == "true"
    if _INT.fullmatch(word):
        return int(word)
    return float(word) if _FLOAT.fullmatch(word) else word


def _mistake(where: str, line: int, what: str, remedy: str) -> InputError:
    return InputError([Problem(f"{where}:{line}", what, remedy)])
