"""The processes of the reference workload on a host, each a unit: what it is started as, and who it is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from hostmuster.env.file import Values
from hostmuster.errors import Refused
from hostmuster.lab import workload_backend, workload_queue
from hostmuster.lab.workload_settings import Workload
from hostmuster.model.fleet import Host
from hostmuster.resources.unit import listing
from hostmuster.secrets.reader import variables

UNIT: Final = "workload.service"
RENDERER: Final = "workload-renderer.service"
WORKER: Final = workload_queue.WORKER
FOLDER: Final = "/opt/workload"

Given = Mapping[str, str]
"""Variables of env files, each with the path of its file."""


@dataclass(frozen=True)
class Process:
    """One of them. `word`: what it is started as; `port`: None where it does not listen; `more`: variables of its kind.

    `user` None: one that systemd makes; `groups`, `writes`: what else it may reach on the host.
    """

    host: Host
    unit: str
    word: str
    port: int | None
    drain_s: int
    stop_s: int
    ready: tuple[str, ...]
    given: Given
    more: Mapping[str, str | int | bool] = field(default_factory=dict)
    user: str | None = None
    groups: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The file that says who it is."""
        return f"/etc/default/{self.unit.removesuffix('.service')}"

    @property
    def base(self) -> str:
        """Where it answers."""
        return f"http://{self.host.address}:{self.port}"

    @property
    def runs(self) -> tuple[str, ...]:
        """How it is asked what it is at."""
        return listing(f"{self.base}/internal/runs") if self.port else workload_queue.RUNS

    @property
    def takes_tasks(self) -> bool:
        """Whether it is a server of a queue."""
        return "WORKLOAD_QUEUE" in self.more

    @property
    def names(self) -> frozenset[str]:
        """The variables that it has beside who it is."""
        return frozenset({*self.given, *self.own, *variables(self.host, self.unit)})

    @property
    def own(self) -> dict[str, str | int | bool]:
        """Beside who it is: its credentials' places, its kind's variables, and its data's place."""
        named: dict[str, str | int | bool] = {**workload_backend.pointers(self.host, self.unit), **self.more}
        if workload_backend.keeps({*self.given, *variables(self.host, self.unit)}):
            named[workload_backend.DATA] = workload_backend.STATE
        return named

    @property
    def identity(self) -> Values:
        """Who this replica is, from names alone: it outlives a rebuilt host and a recreated container (H7).

        Raises Refused where another env file sets one of these variables too.
        """
        host = self.host
        values: dict[str, str | int | bool] = {"WORKLOAD_BIND": host.address, "WORKLOAD_PORT": self.port or 0}
        values = (values if self.port else {}) | {
            "WORKLOAD_HOST": host.name,
            "WORKLOAD_WORKER_ID": host.name,
            "WORKLOAD_MACHINE_ID": hashlib.sha256(f"{host.fleet.name}/{host.name}".encode()).hexdigest()[:32],
            "WORKLOAD_DRAIN_S": self.drain_s,
            **self.own,
        }
        if twice := sorted(values.keys() & self.given.keys()):
            raise Refused(
                f"env_files sets {', '.join(twice)}, which units sets for {self.unit}",
                where=f"{host.name}, units",
                remedy="take it out of env_files; the workload's own settings are under units.workload",
            )
        return values


def processes(host: Host, workload: Workload, given: Mapping[str, Given]) -> list[Process]:
    """Those of a host. `given`: what env files give each unit."""
    listening = {UNIT: ("", workload.port)}
    if workload.renderer:
        listening[RENDERER] = (" renderer", workload.renderer)
    found = [_listening(host, workload, unit, *how, given.get(unit, {})) for unit, how in listening.items()]
    return [*found, *_worker(host, workload, given.get(WORKER, {}))]


def _listening(host: Host, workload: Workload, unit: str, word: str, port: int, given: Given) -> Process:
    ready = ("curl", "-fsS", "-o", "/dev/null", "-m", "3", f"http://{host.address}:{port}/health/ready")
    more, user = _more(host, workload, given) if unit == UNIT else {}, workload.user
    if "WORKLOAD_QUEUE" in more:
        user = user or workload_queue.service_user(host)
    return Process(host, unit, word, port, workload.drain_s, workload.stop_s, ready, given, more, user)


def _more(host: Host, workload: Workload, given: Given) -> dict[str, str | int | bool]:
    more: dict[str, str | int | bool] = {}
    names = {*given, *workload_backend.pointers(host, UNIT), *variables(host, UNIT)}
    if workload.token_s is not None and workload_backend.signs(names):
        more[workload_backend.TOKEN_LIFE] = workload.token_s
    if workload.queue and (where := workload_queue.shared(host, "queue")):
        more |= workload_queue.of_server(where, workload.queue, workload.sweep_s)
    return more


def _worker(host: Host, workload: Workload, given: Given) -> Iterator[Process]:
    want = workload.worker
    if want is None or (where := workload_queue.shared(host, "worker")) is None:
        return
    yield Process(
        host,
        WORKER,
        " worker",
        None,
        want.drain_s,
        want.stop_s,
        workload_queue.ready(workload.sweep_s),
        given,
        workload_queue.of_worker(where, want, workload.sweep_s),
        workload.user or workload_queue.service_user(host),
        ("docker",) if want.image else (),
        (workload_queue.WORKTREES,),
    )
