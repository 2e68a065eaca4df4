"""The task that brings the store's state to all hosts."""

from __future__ import annotations

from hostmuster.tasks.exclusion import CONFIRM, EXCLUDE, exclusion
from hostmuster.tasks.fleet import fleet_task
from hostmuster.tasks.job import Job, Options


@fleet_task(exclude=EXCLUDE, confirm_exclude=CONFIRM)
def rollout(options: Options, exclude: str | None = None, confirm_exclude: str | None = None) -> Job:
    """The store's state to all hosts: staged and verified on all, switched at once, services restarted in turn."""
    return options.job("rollout", **exclusion(options, exclude, confirm_exclude))
