"""Broken YAML in plain words: what the parser stumbled over, and what to write instead."""

from __future__ import annotations

from collections.abc import Sequence

import yaml

from hostmuster.errors import Problem

_TAB = ("a tab stands here", "indent and separate with spaces only; YAML takes no tabs")
_REMEDIES = (
    (
        "unknown escape character",
        "in \"...\" a backslash is an escape: write '...' instead, or double the backslash",
    ),
    ("mapping values are not allowed", 'text with ": " in it is quoted: "..."; else check the indentation'),
    ("cannot start any token", 'text that starts with %, @ or ` is quoted: "..."'),
    ("alphabetic or numeric character", 'text that starts with * or & is quoted: "*.example.net"'),
    ("unexpected ':'", 'text with : in it is quoted: "::1"'),
    ("expected node content", 'inside [ ] and { } text with : , [ ] { } is quoted: "::1"'),
    ("expected ',' or ']'", "close the list with ], separate its values with commas"),
    ("expected ',' or '}'", "close the mapping with }, separate its pairs with commas"),
    ("expected '-' indicator", "a list and a mapping are mixed here: indent the keys under their list entry"),
    ("end of stream", 'a quote is opened and never closed: write "..."'),
    ("expected <block end>", "check the indentation: keys of one mapping start in one column"),
    ("expected key", "check the indentation: keys of one mapping start in one column"),
    ("could not find expected ':'", "a key needs a colon and a space after it: `key: value`"),
)


def syntax_problem(error: yaml.YAMLError, file: str, text: str) -> Problem:
    """The parser's error as one Problem with its line."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line, column = (mark.line, mark.column) if mark else (0, 0)
    lines = text.splitlines()
    written = lines[line] if line < len(lines) else ""
    indent = written[: len(written) - len(written.lstrip())]
    if "\t" in indent or written[column : column + 1] == "\t":
        return Problem(f"{file}:{line + 1}", *_TAB)
    said = getattr(error, "problem", None) or str(error)
    remedy = next(
        (remedy for part, remedy in _REMEDIES if part in said), "check quotes, brackets and indentation"
    )
    context = f"{error.context}: " if getattr(error, "context", None) else ""
    return Problem(f"{file}:{line + 1}", f"this is not YAML: {context}{said}", remedy)


def stray_tabs(text: str, spans: Sequence[tuple[yaml.Mark, yaml.Mark]], file: str) -> list[Problem]:
    """Tabs that are no part of a value or a comment: one parser takes them, the next does not."""
    held = [((start.line, start.column), (end.line, end.column)) for start, end in spans]
    found = []
    for number, line in enumerate(text.splitlines()):
        column = line.find("\t")
        while column >= 0 and any(start <= (number, column) < end for start, end in held):
            column = line.find("\t", column + 1)
        if column >= 0 and not line[:column].lstrip(" ").startswith("#") and " #" not in line[:column]:
            found.append(Problem(f"{file}:{number + 1}", *_TAB))
    return found
