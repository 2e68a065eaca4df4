"""The task that makes the one page of everything known."""

from __future__ import annotations

from hostmuster.tasks.fleet import fleet_task
from hostmuster.tasks.job import Job, Options, path


@fleet_task(
    deep="the costly effects too, between hosts", out="where the page goes (default: reports/FLEET/report.html)"
)
def report(options: Options, deep: bool = False, out: str | None = None) -> Job:
    """One HTML page of everything known: the checklist host by host, what was seen, what hosts have not alike."""
    return options.job("report", deep=deep, out=path(out))
