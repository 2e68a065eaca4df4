"""Strict YAML: a file as a tree of plain values in which every value still knows its line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import JsonValue

from hostmuster.errors import InputError, Problem
from hostmuster.model.syntax import stray_tabs, syntax_problem
from hostmuster.model.text import read_text
from hostmuster.model.tree import KeyPath, Tree

__all__ = ["Document", "KeyPath", "parse", "read_document"]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is ten times as fast, where it was built in


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
        """The line of a value (in a mapping: of its key); of what stands around it where there is none."""
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
    tree = Tree(shown, text.splitlines())
    try:
        data = tree.document(yaml.parse(text, Loader=_LOADER))
    except yaml.YAMLError as error:
        raise InputError([*tree.problems, syntax_problem(error, shown, text)]) from error
    if "\t" in text:
        tree.problems += stray_tabs(text, tree.spans, shown)
    return Document(shown, data, tree.lines, tree.spelled, tuple(tree.problems), frozenset(tree.spoiled))
