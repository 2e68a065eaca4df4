"""The tables that a run prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.console import Console
from rich.table import Table

from benchmarks.measuring import Measured, medians
from benchmarks.targets import Verdict


def show(console: Console, converge: Mapping[int, Measured], judged: Iterable[Verdict]) -> None:
    """Seconds of every tool as median (lowest to highest of so many runs), then the targets."""
    seconds = _table("hosts", "tool", "first apply", "nothing to change", "of the ssh floor")
    for hosts, measured in converge.items():
        floor = medians(measured.noop)["ssh_floor"]
        for tool, runs in measured.noop.items():
            ratio = f"{medians(measured.noop)[tool] / floor:.2f} x"
            seconds.add_row(str(hosts), tool, spread(measured.first.get(tool, [])), spread(runs), ratio)
        seconds.add_row(str(hosts), "", f"{measured.execs} execs a host", f"{measured.rss_mib:.0f} MiB", "")
    targets = _table("hosts", "target", "measured", "wanted", "")
    for one in judged:
        targets.add_row(str(one.hosts), one.what, one.measured, one.wanted, "met" if one.met else "MISSED")
    for table in (seconds, targets):
        console.print()
        console.print(table)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=True)
    return table


def spread(runs: list[float]) -> str:
    """`1.20 s (1.10 to 1.40, 5 runs)`."""
    if not runs:
        return "-"
    median = medians({"": runs})[""]
    return f"{median:.2f} s ({min(runs):.2f} to {max(runs):.2f}, {len(runs)} runs)"
