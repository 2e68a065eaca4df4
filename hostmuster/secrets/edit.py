"""Edits of a SOPS file's text that leave everything else in it as it is, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable

from hostmuster.secrets.tree import Branch, Leaf, walk

Span = tuple[int, int]


def replace(text: str, changes: Iterable[tuple[Leaf, str]], cut: Iterable[Span] = ()) -> str:
    """The text with leaves rewritten, and spans beside them cut; all else stays as it is, byte for byte."""
    edits = [*((leaf.start, leaf.end, new) for leaf, new in changes), *((start, end, "") for start, end in cut)]
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def insert(text: str, branch: Branch, lines: Iterable[str]) -> str:
    """The text with lines added as the last entries of a block mapping, indented as its other keys are."""
    at = _after(text, branch)
    head = text[:at] if text[:at].endswith("\n") else text[:at] + "\n"
    return head + "".join(f"{' ' * branch.column}{line}\n" for line in lines) + text[at:]


def lines_of(text: str, branch: Branch, key: str) -> Span:
    """From where to where the lines of one entry of a block mapping reach, comments after it included."""
    start = branch.starts[key]
    later = [other for other in branch.starts.values() if other > start]
    return _line_start(text, start), _line_start(text, min(later)) if later else _after(text, branch)


def own_lines_of(text: str, branch: Branch, key: str) -> Span:
    """The lines of one entry that is a mapping, and no comment before or after it."""
    node = branch.items[key]
    assert isinstance(node, Branch)  # noqa: S101 - the caller chose it
    last = max(leaf.end for _, leaf in walk(node))
    return _line_start(text, branch.starts[key]), text.index("\n", last) + 1


def _after(text: str, branch: Branch) -> int:
    return _line_start(text, branch.end) if branch.end < len(text) else branch.end


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1
