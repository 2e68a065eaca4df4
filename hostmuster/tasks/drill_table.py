"""Drills for a person: one table at the end, below it what was not kept or not run, and where the pages lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from hostmuster.tasks.events import Json, listed, text_of
from hostmuster.tasks.host_lines import printable

STYLES = {"passed": "green", "refuted": "magenta", "failed": "bold red", "not_run": "dim"}
COLUMNS = ("drill", "host", "verdict", "outage", "failed GET", "failed POST", "lost", "duplicated", "targets")


def drill_lines(document: Mapping[str, Json]) -> Iterator[Text]:
    """The drills that were held."""
    held = [one for one in listed(document.get("drills")) if isinstance(one, Mapping)]
    yield from _table(COLUMNS, [_cells(one) for one in held], [text_of(one.get("verdict")) or "" for one in held])
    for one in held:
        for why in listed(one.get("not_run")):
            yield Text(printable(f"{text_of(one.get('drill'))}: not run: {text_of(why)}"), "dim")
    for one in held:
        if one.get("verdict") != "not_run":
            yield Text(printable(f"{text_of(one.get('page'))}"))


def listing_lines(document: Mapping[str, Json]) -> Iterator[Text]:
    """The drills that there are."""
    known = [one for one in listed(document.get("listed")) if isinstance(one, Mapping)]
    rows = [(text_of(one.get("drill")) or "", text_of(one.get("host")) or "-", _on_one_line(one)) for one in known]
    yield from _table(
        ("drill", "on", "what it shows"), rows, ["passed" if one.get("host") else "not_run" for one in known]
    )


def _on_one_line(one: Mapping[str, Json]) -> str:
    why = "; ".join(text_of(text) or "" for text in listed(one.get("not_run")))
    return (text_of(one.get("text")) or "") + (f" (not run: {why})" if why else "")


def _cells(one: Mapping[str, Json]) -> tuple[str, ...]:
    measured, targets = one.get("measured"), one.get("targets")
    measured = measured if isinstance(measured, Mapping) else {}
    targets = targets if isinstance(targets, Mapping) else {}
    failed = measured.get("failed")
    failed = failed if isinstance(failed, Mapping) else {}
    return (
        text_of(one.get("drill")) or "",
        text_of(one.get("host")) or "-",
        text_of(one.get("verdict")) or "",
        _outage(measured.get("outage_s"), measured.get("sampling_s")),
        *(_number(failed.get(method)) for method in ("GET", "POST")),
        *(_number(measured.get(name)) for name in ("lost", "duplicated")),
        _promised(targets),
    )


def _outage(outage_s: Json, sampling_s: Json) -> str:
    if not isinstance(outage_s, int | float):
        return "-"
    return f"{outage_s:.2f}" + (f" ± {sampling_s:.2f}" if isinstance(sampling_s, int | float) else "") + " s"


def _promised(targets: Mapping[str, Json]) -> str:
    failed = targets.get("failed")
    told = [f"outage {targets['outage_s']:g} s" if isinstance(targets.get("outage_s"), int | float) else ""]
    told += [f"back {targets['back_s']:g} s" if isinstance(targets.get("back_s"), int | float) else ""]
    told += [f"{method} {most}" for method, most in (failed if isinstance(failed, Mapping) else {}).items()]
    told += [f"lost {targets['lost']}" if isinstance(targets.get("lost"), int) else ""]
    return ", ".join(filter(None, told))


def _number(value: Json) -> str:
    return "-" if value is None else text_of(value) or "-"


def _table(columns: Sequence[str], rows: Sequence[tuple[str, ...]], statuses: Sequence[str]) -> Iterator[Text]:
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    yield _row(columns, widths, "bold")
    for row, status in zip(rows, statuses, strict=True):
        yield _row(row, widths, STYLES.get(status, ""))


def _row(cells: Sequence[str], widths: Sequence[int], style: str) -> Text:
    text = Text("  ".join(printable(cell).ljust(width) for cell, width in zip(cells, widths, strict=True)), style)
    text.rstrip()
    return text
