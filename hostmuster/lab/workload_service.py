"""The reference workload as services of a host: what is shipped, and what each of them must answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from hostmuster.effects import database, environment, service
from hostmuster.env.file import render
from hostmuster.item import Effect
from hostmuster.lab import workload_backend
from hostmuster.lab.workload.program import digest
from hostmuster.lab.workload_process import FOLDER, WORKER, Given, Process, processes
from hostmuster.lab.workload_settings import Workload
from hostmuster.model.fleet import Host
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.package import Package
from hostmuster.resources.unit import Unit
from hostmuster.resources.unit_file import unit_file
from hostmuster.secrets.reader import drop_ins
from hostmuster.template import Declared


def resources(host: Host, workload: Workload, given: Mapping[str, Given]) -> Iterator[Declared]:
    """Interpreter, files, identity, units. `given`: what env files give each unit."""
    services = processes(host, workload, given)
    yield Package("python3")
    yield Package("curl")
    yield from workload_backend.packages(frozenset().union(*(one.names for one in services)))
    yield Directory(FOLDER)
    units = tuple(one.unit for one in services)
    yield from (File(f"{FOLDER}/{name}", body, restarts=units) for name, body in source().items())
    for one in services:
        # Where the host holds worktrees, whoever asks for one comes as the user that the worker runs as (H9).
        yield from (Directory(path, "0750", one.user or "root", one.user or "root") for path in one.writes)
        mine = render("systemd", one.identity)
        yield File(one.path, mine, "0600", restarts=(one.unit,), lint="systemd-environment")
        yield unit_file(one.unit, "units/workload.service.j2", _values(one))
    for one in services:
        ins = drop_ins(host, one.unit)
        yield Unit(one.unit, drop_ins=ins, ready=one.ready, ready_s=workload.ready_s, runs=one.runs)


def effects(host: Host, workload: Workload, given: Mapping[str, Given]) -> Iterator[Effect]:
    """Its sockets, its answers, its processes; nothing here reads a file that was written."""
    within = float(workload.ready_s)
    for one in processes(host, workload, given):
        yield service.active(one.unit, within)
        if one.port is not None:
            yield from _answers(one, one.port, within)
        if one.unit == WORKER:
            yield database.heartbeats(one.unit, one.ready, within)
        yield environment.of_process(one.unit, one.path, one.identity, within)
        yield environment.nothing_else(one.unit, {*one.identity, *one.names}, within)
        if one.port is not None:
            yield from workload_backend.effects(host, one.unit, one.base, within)
        if one.takes_tasks:
            yield database.durable(one.base, str(one.more["DATABASE_URL"]).rpartition("/")[2].partition("?")[0], within)


def _answers(one: Process, port: int, within: float) -> Iterator[Effect]:
    told = json.dumps({"host": one.host.name, "worker_id": one.host.name, "program": digest(source())})
    yield service.listens_only(one.host.address, port, within)
    yield service.answers(f"{one.base}/health/ready", within)
    yield service.says(f"{one.base}/internal/identity", told, within)


def _values(one: Process) -> dict[str, object]:
    return {
        "start": f"{FOLDER}{one.word}",
        "environment_files": (*dict.fromkeys(one.given.values()), one.path),
        "state": workload_backend.DATA in one.names,
        "user": one.user,
        "groups": one.groups,
        "writes": one.writes,
        "runtime": one.unit.removesuffix(".service") if one.port is None else "",
        "stop_s": one.stop_s,
    }


@cache
def source() -> Mapping[str, bytes]:
    """The workload's files as they are shipped: name to content."""
    folder = files("hostmuster.lab").joinpath("workload")
    return {one.name: one.read_bytes() for one in sorted(folder.iterdir(), key=str) if one.name.endswith(".py")}
