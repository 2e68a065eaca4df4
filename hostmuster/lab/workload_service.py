"""The reference workload as a service of a host: what is shipped, who each replica is, and what it must answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hostmuster.effects import environment, service
from hostmuster.env.file import Values, render
from hostmuster.errors import Refused
from hostmuster.item import Effect
from hostmuster.lab.workload.program import digest
from hostmuster.model.fleet import Host
from hostmuster.model.types import Port, UserName, wrong
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.package import Package
from hostmuster.resources.unit import Unit
from hostmuster.resources.unit_file import unit_file
from hostmuster.template import Declared

UNIT = "workload.service"
FOLDER = "/opt/workload"
IDENTITY = "/etc/default/workload"


class Workload(BaseModel):
    """Its settings. `drain_s`: seconds for the requests in work at a stop; `stop_s`: until systemd kills it.

    `user` None: a user that systemd makes for each start.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    port: Port = 8080
    user: UserName | None = None
    drain_s: int = Field(default=30, ge=1, le=3600)
    stop_s: int = Field(default=60, ge=2, le=3700)
    ready_s: int = Field(default=30, ge=1, le=3600)

    @model_validator(mode="after")
    def _stops_after_draining(self) -> Workload:
        if self.stop_s <= self.drain_s:
            what = f"stop_s {self.stop_s} is not above drain_s {self.drain_s}"
            raise wrong(what, "give it time to drain: else it is killed in the middle of a request")
        return self


def resources(host: Host, workload: Workload, given: Mapping[str, str]) -> Iterator[Declared]:
    """Interpreter, files, identity, unit. `given`: variables of other env files, with the path of each one's file."""
    yield Package("python3")
    yield Package("curl")
    yield Directory(FOLDER)
    yield from (File(f"{FOLDER}/{name}", body, restarts=(UNIT,)) for name, body in source().items())
    yield File(IDENTITY, render("systemd", identity(host, workload, given)), "0600", restarts=(UNIT,))
    paths = (*dict.fromkeys(given.values()), IDENTITY)
    values = {**workload.model_dump(), "folder": FOLDER, "environment_files": paths}
    yield unit_file(UNIT, "units/workload.service.j2", values)
    ready = ("curl", "-fsS", "-o", "/dev/null", "-m", "3", f"{_base(host, workload)}/health/ready")
    yield Unit(UNIT, drop_ins=(), ready=ready, ready_s=workload.ready_s)


def effects(host: Host, workload: Workload, given: Mapping[str, str]) -> Iterator[Effect]:
    """Its socket, its answers, its process; nothing here reads a file that was written."""
    at, within = _base(host, workload), float(workload.ready_s)
    mine = identity(host, workload, given)
    told = json.dumps({"host": host.name, "worker_id": host.name, "program": digest(source())})
    yield service.active(UNIT, within)
    yield service.listens_only(host.address, workload.port, within)
    yield service.answers(f"{at}/health/ready", within)
    yield service.says(f"{at}/internal/identity", told, within)
    yield environment.of_process(UNIT, IDENTITY, mine, within)
    yield environment.nothing_else(UNIT, {*mine, *given}, within)


def identity(host: Host, workload: Workload, given: Mapping[str, str]) -> Values:
    """Who this replica is, from names alone: it outlives a rebuilt host and a recreated container (H7).

    Raises Refused where another env file sets one of these variables too.
    """
    values: dict[str, str | int | bool] = {
        "WORKLOAD_BIND": host.address,
        "WORKLOAD_PORT": workload.port,
        "WORKLOAD_HOST": host.name,
        "WORKLOAD_WORKER_ID": host.name,
        "WORKLOAD_MACHINE_ID": hashlib.sha256(f"{host.fleet.name}/{host.name}".encode()).hexdigest()[:32],
        "WORKLOAD_DRAIN_S": workload.drain_s,
    }
    if twice := sorted(values.keys() & given.keys()):
        raise Refused(
            f"env_files sets {', '.join(twice)}, which units sets for {UNIT}",
            where=f"{host.name}, units",
            remedy="take it out of env_files; the workload's own settings are under units.workload",
        )
    return values


@cache
def source() -> Mapping[str, bytes]:
    """The workload's files as they are shipped: name to content."""
    folder = files("hostmuster.lab").joinpath("workload")
    return {one.name: one.read_bytes() for one in sorted(folder.iterdir(), key=str) if one.name.endswith(".py")}


def _base(host: Host, workload: Workload) -> str:
    return f"http://{host.address}:{workload.port}"
