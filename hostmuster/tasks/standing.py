"""`status` for a person: a line a host, whoever needs somebody first; below it what is to be said, one line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rich.text import Text

from hostmuster.tasks.events import Json, listed, text_of
from hostmuster.tasks.host_lines import printable

STYLES = {"unreachable": "bold red", "silent": "bold red", "failing": "red", "frozen": "cyan", "ok": "green"}
"""In the order in which they are shown. Silent: it answers, but its own checks have not run lately."""
COLUMNS = ("host", "stands", "own checks", "applied", "change", "secrets", "release")
_SHOWN_DIGITS = 8


@dataclass(frozen=True)
class Standing:
    """One host: in which order it comes, its cells, and the lines below them."""

    word: str
    cells: tuple[str, ...]
    details: tuple[str, ...]


def is_standing(document: Mapping[str, Json]) -> bool:
    """Whether the document is that of `status`."""
    hosts = document.get("hosts")
    return isinstance(hosts, Mapping) and any(
        isinstance(fields, Mapping) and ("checks" in fields or fields.get("state") == "unreachable")
        for fields in hosts.values()
    )


def standing_lines(document: Mapping[str, Json], width: int | None) -> Iterator[Text]:
    """The table, aligned and cut to the width; None: a pipe, which has none."""
    hosts = document.get("hosts")
    fields = hosts if isinstance(hosts, Mapping) else {}
    found = [standing(name, one) for name, one in fields.items() if isinstance(one, Mapping)]
    rows = sorted(found, key=lambda row: list(STYLES).index(row.word))
    widths = [max(map(len, column)) for column in zip(COLUMNS, *(row.cells for row in rows), strict=True)]
    yield _cut(_aligned(COLUMNS, widths, "bold"), width)
    for row in rows:
        yield _cut(_aligned(row.cells, widths, "", STYLES[row.word]), width)
        for detail in row.details:
            yield _cut(Text(" " * (widths[0] + 2) + detail), width)


def standing(name: str, fields: Mapping[str, Json]) -> Standing:
    """How one host stands, from its part of the document."""
    error = text_of(fields.get("error"))
    if fields.get("state") == "unreachable":
        return Standing("unreachable", (printable(name), "unreachable", *"-----"), (_line(error or "no answer"),))
    state = text_of(fields.get("state")) or ""
    checks = fields.get("checks")
    checks = checks if isinstance(checks, Mapping) else {}
    failed = checks.get("failed")
    failed = failed if isinstance(failed, Mapping) else {}
    frozen = state.startswith("frozen")
    waits = text_of(fields.get("waits"))
    bad = failed or error or waits
    word = "silent" if checks.get("late") else "failing" if bad else "frozen" if frozen else "ok"
    holder = text_of(fields.get("holder"))
    change = "open" if state.startswith("change open") else "held" if holder else "frozen" if frozen else "at rest"
    owed = ", ".join(text_of(debt) or "" for debt in listed(fields.get("owed")))
    told = [
        *(f"{check}: {text_of(seen)}" for check, seen in failed.items()),
        *([] if state == "at rest" else [state]),
        *([f"held by {holder}"] if holder else []),
        *([f"owed: {owed}"] if owed else []),
        *([f"services that read secrets wait: {waits}"] if waits else []),
        *([error] if error else []),
    ]
    cells = (
        printable(name),
        word,
        _counts(checks),
        _revision(text_of(fields.get("applied"))),
        change,
        text_of(fields.get("generation")) or "-",
        text_of(fields.get("release")) or "-",
    )
    return Standing(word, cells, tuple(map(_line, told)))


def _counts(checks: Mapping[str, Json]) -> str:
    """`12 ok, 4 s ago`, `1 of 12 failed, 4 s ago`; a dash where it checks nothing."""
    ok, unrun, age = checks.get("ok"), checks.get("not_run"), checks.get("age_s")
    failed = checks.get("failed")
    if not isinstance(ok, int) or not isinstance(unrun, int) or not isinstance(age, int):
        return "-"
    bad = len(failed) if isinstance(failed, Mapping) else 0
    held = f"{bad} of {ok + bad} failed" if bad else f"{ok} ok"
    return f"{held}, {_span(age)} ago"


def _span(seconds: int) -> str:
    sizes = ((86400, "days"), (3600, "h"), (60, "min"))
    return next((f"{seconds // size} {unit}" for size, unit in sizes if seconds >= 2 * size), f"{seconds} s")


def _revision(applied: str | None) -> str:
    """Eight digits of it, and whether files differed from it (source.py)."""
    if not applied:
        return "-"
    return applied[:_SHOWN_DIGITS] + ("+" if applied.endswith("+") else "")


def _line(text: str) -> str:
    return printable(" ".join(text.split()))


def _aligned(cells: tuple[str, ...], widths: list[int], style: str, second: str = "") -> Text:
    padded = [cell.ljust(wide) for cell, wide in zip(cells, widths, strict=True)]
    parts = [(f"{cell}  ", second if n == 1 and second else style) for n, cell in enumerate(padded)]
    return Text.assemble(*parts)


def _cut(text: Text, width: int | None) -> Text:
    text.rstrip()
    if width is not None:
        text.truncate(width, overflow="ellipsis")
    return text
