"""The tree of a YAML document, built from the events of PyYAML's parser, so that nothing is ever expanded.

Own code only for what PyYAML takes silently: duplicate keys, YAML 1.1 words, aliases, tags, more documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

import yaml
from pydantic import JsonValue

from hostmuster.errors import InputError, Problem
from hostmuster.model.scalars import Scalar, Trap, plain

KeyPath = tuple[str | int, ...]
"""The way from a file's top to a value: keys of mappings, positions in lists."""

Position = tuple[int, int]
"""Line and column, both from 0."""

DEPTH = 24
"""Levels of nesting; a fleet file needs about eight."""

MISTAKES = 100
"""After so many a file is no fleet file; reading stops."""

_SWALLOWED = re.compile(r"\s+#[^\s#!]")
_SHARED = "put shared values under a role or at fleet level"


@dataclass
class Tree:
    """Builds the tree and collects what is wrong on the way (see Document for lines, spelled and spoiled).

    `spans`: from where to where each written value and key stands.
    """

    file: str
    text_lines: list[str]
    lines: dict[KeyPath, int] = field(default_factory=dict)
    spelled: dict[KeyPath, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    spoiled: set[KeyPath] = field(default_factory=set)
    spans: list[tuple[Position, Position]] = field(default_factory=list)

    def document(self, events: Iterator[yaml.Event]) -> JsonValue:
        """The one document among the events. Raises InputError where there is none, or a second one."""
        data: JsonValue = None
        count = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                count += 1
                if count > 1:
                    self._stop(event, "a second document starts here (---)", "one file holds one: remove it")
                data = self._node(next(events), events, ())
        if data is None:
            self.problems.append(Problem(f"{self.file}:1", "the file is empty", "declare a fleet in it"))
            raise InputError(self.problems)
        return data

    def _node(self, event: yaml.Event, events: Iterator[yaml.Event], path: KeyPath) -> JsonValue:
        self.lines.setdefault(path, _start(event)[0] + 1)
        if len(path) > DEPTH:
            self._stop(event, f"nested more than {DEPTH} levels deep", "is a bracket left open?")
        if isinstance(event, yaml.NodeEvent):
            self._refuse_sharing(event, path)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._list(events, path)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(events, path)
        return self._scalar(event, path) if isinstance(event, yaml.ScalarEvent) else None

    def _list(self, events: Iterator[yaml.Event], path: KeyPath) -> list[JsonValue]:
        values: list[JsonValue] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            values.append(self._node(event, events, (*path, len(values))))
        return values

    def _mapping(self, events: Iterator[yaml.Event], path: KeyPath) -> dict[str, JsonValue]:
        values: dict[str, JsonValue] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key, line = self._key(event, path), _start(event)[0] + 1
            if key not in values:
                self.lines[(*path, key)] = line
                values[key] = self._node(next(events), events, (*path, key))
                continue
            first = self.lines[(*path, key)]
            self._add(
                event,
                f"the key `{key}` stands twice here, first on line {first}",
                "keep one of the two, or give one of them another name",
            )
            self._node(next(events), events, (*path, f"{key} (again, line {line})"))
        return values

    def _key(self, event: yaml.Event, path: KeyPath) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            self._stop(event, "a key must be a text", 'quote text with { } [ ] or * in it: "{{ name }}"')
        key = str(event.value)
        self.spans.append((_start(event), _end(event)))
        self._refuse_sharing(event, (*path, key))
        meant = plain(key) if event.implicit[0] else key
        if isinstance(meant, Trap):
            self._add(event, f"key: {meant.what}", f'write "{key}", in quotes')
        elif key == "<<" and event.implicit[0]:
            self._spoil(event, (*path, key), "`<<` merges another mapping in (a YAML merge key)", _SHARED)
        elif not isinstance(meant, str):
            self._add(event, f"the key `{key}` is not text", f'write "{key}", in quotes')
        return key

    def _scalar(self, event: yaml.ScalarEvent, path: KeyPath) -> Scalar:
        self.spans.append((_start(event), _end(event)))
        word = str(event.value)
        if not event.implicit[0]:
            if "\0" in word:
                self._spoil(event, path, "a NUL character in a text", "remove \\0: nothing can hold it")
            return word
        self.spelled[path] = word
        value = plain(word)
        if isinstance(value, Trap):
            self._spoil(event, path, value.what, value.remedy)
            return word
        line, column = _end(event)
        if word and (swallowed := _SWALLOWED.match(self.text_lines[line], column)):
            rest = self.text_lines[line][swallowed.start() :].strip()
            what = f"`{rest}` is a comment to YAML and no part of the value"
            self._spoil(event, path, what, f"quote the whole text, or write the comment `# {rest[1:]}`")
        return value

    def _refuse_sharing(self, event: yaml.NodeEvent, path: KeyPath) -> None:
        """Aliases (an alias bomb is made of them), anchors, and tags, which name types."""
        anchor, tag = event.anchor, getattr(event, "tag", None)
        if isinstance(event, yaml.AliasEvent):
            what = f"`*{anchor}` stands for another value (a YAML alias)"
            self._spoil(event, path, what, f'{_SHARED}; text that starts with * is quoted: "*{anchor}"')
        elif anchor:
            what = f"`&{anchor}` names a value for reuse (a YAML anchor)"
            self._spoil(event, path, what, f'{_SHARED}; text that starts with & is quoted: "&{anchor}"')
        if tag:
            shown = str(tag).replace("tag:yaml.org,2002:", "!!")
            self._spoil(event, path, f"`{shown}` is a YAML tag", 'remove it; quote a value ("...") for text')

    def _spoil(self, event: yaml.Event, path: KeyPath, what: str, remedy: str) -> None:
        self.spoiled.add(path)
        self._add(event, what, remedy)

    def _add(self, event: yaml.Event, what: str, remedy: str) -> None:
        self.problems.append(Problem(f"{self.file}:{_start(event)[0] + 1}", what, remedy))
        if len(self.problems) >= MISTAKES:
            raise InputError(self.problems)

    def _stop(self, event: yaml.Event, what: str, remedy: str) -> NoReturn:
        self._add(event, what, remedy)
        raise InputError(self.problems)


def _start(event: yaml.Event) -> Position:
    mark = event.start_mark
    return (mark.line, mark.column) if mark else (0, 0)


def _end(event: yaml.Event) -> Position:
    mark = event.end_mark
    return (mark.line, mark.column) if mark else (0, 0)
