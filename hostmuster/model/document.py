"""Strict YAML: a tree of plain values in which every value still knows its line.

Built on PyYAML's parser (its events, so that nothing is ever expanded or constructed); own code only for what
PyYAML takes silently: duplicate keys, YAML 1.1 words, aliases, tags, a second document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import yaml
from pydantic import JsonValue

from hostmuster.errors import InputError, Problem
from hostmuster.model.scalars import Scalar, Trap, plain
from hostmuster.model.syntax import stray_tabs, syntax_problem
from hostmuster.model.text import read_text

KeyPath = tuple[str | int, ...]
"""The way from a file's top to a value: keys of mappings, positions in lists."""

DEPTH = 24
"""Levels of nesting; a fleet file needs about eight."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is ten times as fast, where it was built in
_SWALLOWED = re.compile(r"\s+#[^\s#!]")


@dataclass(frozen=True)
class Document:
    """One YAML file: its plain values, the line of each, and how unquoted words were spelled.

    `problems` are mistakes that left the rest readable; `spoiled` are the paths they stand at, so that
    nothing is said about such a value a second time.
    """

    file: str
    data: JsonValue
    lines: Mapping[KeyPath, int]
    spelled: Mapping[KeyPath, str]
    problems: tuple[Problem, ...] = ()
    spoiled: frozenset[KeyPath] = frozenset()

    def line(self, path: KeyPath) -> int:
        """The line of a value (of its key, in a mapping); of the nearest one around it when it is not there."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def where(self, path: KeyPath) -> str:
        """`file:line` of a value."""
        return f"{self.file}:{self.line(path)}"

    def is_spoiled(self, path: KeyPath) -> bool:
        """Whether something was said already about the value or what stands around it."""
        return any(path[:length] in self.spoiled for length in range(len(path) + 1))


def read_document(path: Path, shown: str) -> Document:
    """The file as a Document; `shown` is its name in messages.

    Raises InputError for what stops reading: see read_text, broken syntax, a second document, an empty file.
    """
    return parse(read_text(path, shown), shown)


def parse(text: str, shown: str) -> Document:
    """As read_document, for text at hand."""
    tree = _Tree(shown, text.splitlines())
    try:
        data = tree.document(yaml.parse(text, Loader=_LOADER))
    except yaml.YAMLError as error:
        raise InputError([*tree.problems, syntax_problem(error, shown, text)]) from error
    if "\t" in text:
        tree.problems += stray_tabs(text, tree.spans, shown)
    return Document(shown, data, tree.lines, tree.spelled, tuple(tree.problems), frozenset(tree.spoiled))


@dataclass
class _Tree:
    """Builds the tree from the parser's events and collects what is wrong on the way."""

    file: str
    text_lines: list[str]
    lines: dict[KeyPath, int] = field(default_factory=dict)
    spelled: dict[KeyPath, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    spoiled: set[KeyPath] = field(default_factory=set)
    spans: list[tuple[yaml.Mark, yaml.Mark]] = field(default_factory=list)

    def document(self, events: Iterator[yaml.Event]) -> JsonValue:
        data: JsonValue = None
        count = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                count += 1
                if count > 1:
                    self._stop(
                        event, "a second document starts here (---)", "one file holds one document: remove it"
                    )
                data = self._node(next(events), events, ())
        if data is None:
            raise InputError(
                [*self.problems, Problem(f"{self.file}:1", "the file is empty", "declare a fleet in it")]
            )
        return data

    def _node(self, event: yaml.Event, events: Iterator[yaml.Event], path: KeyPath) -> JsonValue:
        self.lines.setdefault(path, event.start_mark.line + 1)
        if len(path) > DEPTH:
            self._stop(
                event,
                f"nested more than {DEPTH} levels deep",
                "a declaration is flat; is a bracket left open?",
            )
        if isinstance(event, yaml.AliasEvent):
            return self._spoil(
                event,
                path,
                f"`*{event.anchor}` stands for another value (a YAML alias)",
                "write the value itself; shared values belong under a role or at fleet level. "
                f'Text that starts with * is quoted: "*{event.anchor}"',
            )
        self._refuse_anchor_and_tag(event, path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(events, path)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(events, path)
        assert isinstance(event, yaml.ScalarEvent)  # noqa: S101 - the parser has no other node events
        return self._scalar(event, path)

    def _list(self, events: Iterator[yaml.Event], path: KeyPath) -> list[JsonValue]:
        values: list[JsonValue] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            values.append(self._node(event, events, (*path, len(values))))
        return values

    def _mapping(self, events: Iterator[yaml.Event], path: KeyPath) -> dict[str, JsonValue]:
        values: dict[str, JsonValue] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = self._key(event, path)
            if key not in values:
                self.lines[(*path, key)] = event.start_mark.line + 1
                values[key] = self._node(next(events), events, (*path, key))
                continue
            first = self.lines[(*path, key)]
            self._add(
                event,
                f"the key `{key}` stands twice here, first on line {first}",
                "keep one of the two, or give one of them another name",
            )
            self._node(next(events), events, (*path, f"{key} (again, line {event.start_mark.line + 1})"))
        return values

    def _key(self, event: yaml.Event, path: KeyPath) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            self._stop(
                event,
                "a key must be one word of text",
                'text with { } [ ] or * in it is quoted: "{{ name }}"',
            )
        key: str = event.value
        self._refuse_anchor_and_tag(event, (*path, key))
        self.spans.append((event.start_mark, event.end_mark))
        meant = plain(key) if event.implicit[0] else key
        if isinstance(meant, Trap):
            self._add(event, f"key: {meant.what}", f'write "{key}", in quotes')
        elif key == "<<" and event.implicit[0]:
            self._add(
                event,
                "`<<` merges another mapping in (a YAML merge key)",
                "put shared settings under a role or at fleet level",
            )
            self.spoiled.add((*path, key))
        elif not isinstance(meant, str):
            self._add(event, f"the key `{key}` is not text", f'write "{key}", in quotes')
        return key

    def _scalar(self, event: yaml.ScalarEvent, path: KeyPath) -> Scalar:
        self.spans.append((event.start_mark, event.end_mark))
        if not event.implicit[0]:
            if "\0" in event.value:
                self._spoil(
                    event,
                    path,
                    "a NUL character in a text",
                    "remove \\0: no file name or setting can hold it",
                )
            return str(event.value)
        value = plain(event.value)
        self.spelled[path] = event.value
        if isinstance(value, Trap):
            self._spoil(event, path, value.what, value.remedy)
            return str(event.value)
        rest = self.text_lines[event.end_mark.line][event.end_mark.column :] if event.value else ""
        if _SWALLOWED.match(rest):
            self._spoil(
                event,
                path,
                f"`{rest.strip()}` is a comment to YAML and not part of the value",
                f'quote the whole text, or write the comment with a space: "# {rest.strip()[1:]}"',
            )
        return value

    def _refuse_anchor_and_tag(self, event: yaml.Event, path: KeyPath) -> None:
        if getattr(event, "anchor", None):
            self._spoil(
                event,
                path,
                f"`&{event.anchor}` names a value for reuse (a YAML anchor)",
                f"put shared values under a role or at fleet level. Text that starts with & is quoted: "
                f'"&{event.anchor}"',
            )
        if getattr(event, "tag", None):
            tag = str(event.tag).replace("tag:yaml.org,2002:", "!!")
            self._spoil(
                event,
                path,
                f"`{tag}` is a YAML tag",
                'remove it; quote the value ("...") where text is meant',
            )

    def _spoil(self, event: yaml.Event, path: KeyPath, what: str, remedy: str) -> None:
        self.spoiled.add(path)
        self._add(event, what, remedy)

    def _add(self, event: yaml.Event, what: str, remedy: str) -> None:
        problem = Problem(f"{self.file}:{event.start_mark.line + 1}", what, remedy)
        if problem not in self.problems:
            self.problems.append(problem)

    def _stop(self, event: yaml.Event, what: str, remedy: str) -> NoReturn:
        self._add(event, what, remedy)
        raise InputError(self.problems)
