"""The reference workload as a queue: servers take tasks, workers elsewhere run them, PostgreSQL is between (H12)."""

from __future__ import annotations

from typing import Final, Protocol, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hostmuster.data.place import Place, is_client, place, settings
from hostmuster.errors import InputError, Problem
from hostmuster.model.fleet import Host
from hostmuster.model.types import wrong

WORKER: Final = "workload-worker.service"
WORKTREES: Final = "/srv/service/worktrees"
ENDING_S: Final = 5
"""What a worker takes to end what it has not drained."""


class Queue(BaseModel):
    """A server's. `rate_per_s`: tasks a second that each client may give, over all servers together; 0: any number.

    `burst`: how many at once after a pause; None: those of a second.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    rate_per_s: int = Field(default=0, ge=0, le=100_000)
    burst: int | None = Field(default=None, ge=1, le=100_000)


class Worker(BaseModel):
    """A worker's. `slots`: tasks at a time; `image`: what each runs in, as a container; None: a process of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    slots: int = Field(default=2, ge=1, le=64)
    image: str | None = None
    drain_s: int = Field(default=30, ge=1, le=3600)
    stop_s: int = Field(default=60, ge=2, le=3700)

    @model_validator(mode="after")
    def _stops_after_draining(self) -> Worker:
        if self.stop_s <= self.drain_s + ENDING_S:
            what = f"stop_s {self.stop_s} is not more than {ENDING_S} s above drain_s {self.drain_s}"
            raise wrong(what, "give it time to drain, and then to end what is left: else that is killed, not stopped")
        return self


class _Access(Protocol):
    service: str


def service_user(host: Host) -> str:
    """Who reaches other hosts, and so asks the holder of a worktree (H9)."""
    return cast("_Access", host.settings("access")).service


def shared(host: Host, key: str) -> Place | None:
    """The database of a host's queue; None where a lab runs without the host that it is on.

    Raises InputError where no database is declared, or this host is not let in.
    """
    if settings(host) is not None and is_client(host):
        return place(host)
    what = f"{host.name}: units.workload.{key} without a database for this host: tasks are nowhere else"
    where = str(host.origin("units", "workload", key))
    raise InputError([Problem(where, what, "declare `database`, with a role of this host among its clients")])


def of_server(where: Place, queue: Queue, sweep_s: int) -> dict[str, str | int | bool]:
    """The variables that make a server take tasks."""
    rate = {"WORKLOAD_RATE_PER_S": queue.rate_per_s, "WORKLOAD_RATE_BURST": queue.burst or queue.rate_per_s}
    return {"DATABASE_URL": where.url, "WORKLOAD_QUEUE": True, "WORKLOAD_SWEEP_S": sweep_s, **rate}


def of_worker(where: Place, worker: Worker, sweep_s: int) -> dict[str, str | int | bool]:
    """The variables of a worker."""
    image = {"WORKLOAD_IMAGE": worker.image} if worker.image else {}
    return {"DATABASE_URL": where.url, "WORKLOAD_SLOTS": worker.slots, "WORKLOAD_SWEEP_S": sweep_s, **image}


RUNS = ("cat", f"/run/{WORKER.removesuffix('.service')}/runs")
"""A command that lists what the worker is at."""


def ready(sweep_s: int) -> tuple[str, ...]:
    """A command that succeeds once a heartbeat of the worker has come through, and while they do."""
    seen = f"/run/{WORKER.removesuffix('.service')}/seen"
    return ("sh", "-c", f'[ -n "$(find {seen} -newermt "-{sweep_s} seconds" 2>/dev/null)" ]')
