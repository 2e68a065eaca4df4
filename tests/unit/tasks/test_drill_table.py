"""The table of drills: an outage is told as finely as it is judged, with what the client did not see of it."""

from __future__ import annotations

from typing import Any

from hostmuster.tasks.drill_table import drill_lines

HELD: dict[str, Any] = {
    "drill": "ingress-host",
    "host": "ingress-1",
    "verdict": "refuted",
    "measured": {"outage_s": 0.533, "sampling_s": 0.0204, "failed": {"GET": 3, "POST": 1}, "lost": 0, "duplicated": 0},
    "targets": {"outage_s": 0.5, "lost": 0},
    "page": "/srv/fleet/reports/1/report.html",
}


def table(**other: Any) -> list[str]:
    """The lines without styles, without the columns' names."""
    return [line.plain for line in drill_lines({"drills": [{**HELD, **other}]})][1:]


def test_an_outage_is_told_with_its_error_beside_what_was_promised() -> None:
    row, page = table()
    assert "0.53 ± 0.02 s" in row
    assert row.endswith("outage 0.5 s, lost 0")
    assert page == HELD["page"]


def test_what_was_not_run_has_no_figures_and_says_why() -> None:
    row, why = table(verdict="not_run", measured={}, not_run=["no host has a panel"])
    assert row.split()[:8] == ["ingress-host", "ingress-1", "not_run", "-", "-", "-", "-", "-"]
    assert why == "ingress-host: not run: no host has a panel"
