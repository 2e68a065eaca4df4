"""The task that tells whether several replicas may serve together, by the table of K1."""

from __future__ import annotations

from hostmuster.tasks.fleet import fleet_task
from hostmuster.tasks.job import Job, Options


@fleet_task(declared="only the store and what the fleet file declares: no host is asked")
def check(options: Options, declared: bool = False) -> Job:
    """What several replicas must share: in the store, on every host, in what runs (exit code 3 for a miss)."""
    return options.job("preflight", declared=declared)
