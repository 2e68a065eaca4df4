"""Broken YAML in plain words: what the parser stumbled over, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import yaml

from hostmuster.errors import Problem
from hostmuster.model.tree import Position

_TAB = ("a tab stands here", "indent and separate with spaces only; YAML readers differ on tabs")
_INDENTATION = "check the indentation: keys of one mapping start in one column"
_NEVER_ENDED = ("could not find expected ':'", "unexpected end of stream")
_REMEDIES = (
    ("unknown escape character", "a backslash in \"...\" is an escape: write '...', or double the backslash"),
    ("mapping values are not allowed", 'text with `: ` in it is quoted: "..."; else check the indentation'),
    ("cannot start any token", 'text that starts with %, @ or ` is quoted: "@name"'),
    ("alphabetic or numeric character", 'text that starts with * or & is quoted: "*.example.net"'),
    ("expected node content", 'in [ ] and { }, text with : , [ ] { } is quoted: "::1"'),
    ("unexpected ':'", 'in [ ] and { }, text with : , [ ] { } is quoted: "::1"'),
    ("expected ',' or ']'", "close the list with ], and put commas between its values"),
    ("expected ',' or '}'", "close the mapping with }, and put commas between its pairs"),
    ("expected '-' indicator", "a list and a mapping are mixed here: indent keys under their list entry"),
    ("maximum nesting depth", "is a bracket left open?"),
    ("expected <block end>", _INDENTATION),
    ("expected key", _INDENTATION),
    ("unexpected end of stream", 'a quote is opened and never closed: write "..."'),
    ("could not find expected ':'", "a key needs a colon and a space after it: `key: value`"),
)
"""Part of what libyaml or PyYAML's own parser says, and the remedy."""


def syntax_problem(error: yaml.YAMLError, file: str, text: str) -> Problem:
    """The parser's error as one Problem with its line."""
    said, context, found, begun = str(error), None, None, None
    if isinstance(error, yaml.MarkedYAMLError):
        said, context, found, begun = (
            error.problem or said,
            error.context,
            error.problem_mark,
            error.context_mark,
        )
    # Of what is never ended, the parser finds the end of the file; people look for where it begins.
    mark = begun if begun and any(part in said for part in _NEVER_ENDED) else found or begun
    lines = text.splitlines() or [""]
    # libyaml counts the end of the file as a line, or two, of its own.
    line, column = (min(mark.line, len(lines) - 1), mark.column) if mark else (0, 0)
    written = lines[line]
    indent = written[: len(written) - len(written.lstrip())]
    if "\t" in indent or written[column : column + 1] == "\t":
        return Problem(f"{file}:{line + 1}", *_TAB)
    remedies = (remedy for part, remedy in _REMEDIES if part in said)
    since = f" that begins on line {begun.line + 1}" if begun and begun.line != line else ""
    what = f"this is not YAML: {context}{since}: {said}" if context else f"this is not YAML: {said}"
    return Problem(f"{file}:{line + 1}", what, next(remedies, "check quotes, brackets and indentation"))


def stray_tabs(text: str, spans: Sequence[tuple[Position, Position]], file: str) -> Iterator[Problem]:
    """Tabs that are no part of a value or a comment: one parser takes them, the next does not."""
    for number, line in enumerate(text.splitlines()):
        column = line.find("\t")
        while column >= 0 and any(start <= (number, column) < end for start, end in spans):
            column = line.find("\t", column + 1)
        before = f" {line[: max(column, 0)]}"
        if column >= 0 and " #" not in before:
            yield Problem(f"{file}:{number + 1}", *_TAB)
