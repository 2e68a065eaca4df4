"""A fleet whose workload is a queue: its project, and what clients see of it."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from hostmuster.lab.lab import Lab
from tests.lab.fleet_on_lab import FleetOnLab, machines_of

PORT, SWEEP_S = 8080, 6


def client(unit: str) -> dict[str, Any]:
    """The reader by which a unit comes into the database."""
    return {"unit": unit, "files": {"database-password": "database"}}


ROLES: dict[str, dict[str, Any]] = {
    "server": {
        "units": {"workload": {"port": PORT, "drain_s": 2, "stop_s": 9, "sweep_s": SWEEP_S, "queue": {}}},
        "secrets": {"readers": {"queue": client("workload.service")}},
    },
    "worker": {
        "units": {
            "workload": {"sweep_s": SWEEP_S, "drain_s": 2, "stop_s": 9, "worker": {"drain_s": 2, "stop_s": 9}},
        },
        "secrets": {"readers": {"worker": client("workload-worker.service")}},
    },
    "database": {
        "secrets": {"readers": {"role": {"unit": "database-role.service", "files": {"password": "database"}}}},
    },
}


class QueueProject(FleetOnLab):
    """A project of its own with those of the repository's items that a queue needs; `items` in their order."""

    def __init__(
        self, folder: Path, name: str, items: Sequence[str] = ("access", "secrets", "env_files", "database", "units")
    ) -> None:
        super().__init__(folder, name)
        self.own_checklist(*items)


@dataclass(frozen=True)
class Queue:
    """The fleet on its lab."""

    fleet: QueueProject
    lab: Lab

    def made(self, roles: Mapping[str, Any] = ROLES) -> None:
        """From bare hosts to a queue that takes and does tasks."""
        machines = machines_of(self.lab)
        used = {role for machine in machines for role in machine.roles}
        self.fleet.settings = {"database": {"level": "single"}}
        self.fleet.extra = {"roles": {role: {"settings": roles[role]} for role in sorted(used)}}
        self.fleet.declare(machines)
        self.say("secrets.init")
        self.say("secrets.set", "database", "--kind", "shared-credential", "--generate")
        for word in ("bootstrap", "secrets.rollout", "apply"):
            self.say(word)

    def say(self, *words: str) -> None:
        """A command that has to succeed."""
        done = self.fleet.hostmuster(*words)
        assert done.exit == 0, f"{words}: {done.output}{done.errors}"

    def shell(self, host: str, command: str) -> str:
        """Root's shell there; it has to succeed."""
        done = self.lab.run(host, command)
        assert done.ok, f"{host}: {command}\n{done.stdout}{done.stderr}"
        return str(done.stdout).strip()

    def ask(self, host: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        """What a host's server answers to the controller."""
        url = f"http://{self.lab.hosts[host].machine.address}:{PORT}{path}"
        content = None if body is None else json.dumps(body)
        answer = httpx.request("GET" if body is None else "POST", url, content=content, timeout=20)
        return answer.status_code, answer.json()

    def give(self, host: str, seconds: float, key: str = "") -> str:
        """A task that has to be acknowledged: its id."""
        status, told = self.ask(host, "/tasks", {"key": key or uuid.uuid4().hex, "seconds": seconds})
        assert status == 201, told
        return str(told["id"])

    def task(self, host: str, task: str) -> Any:
        """What the server says of it."""
        status, told = self.ask(host, f"/tasks/{task}")
        assert status == 200, told
        return told

    def until(self, what: Callable[[], bool], seconds: float = 60.0) -> float:
        """Waits for it: how many seconds that took. Fails when it does not come."""
        began = time.monotonic()
        while not what():
            assert time.monotonic() - began < seconds, f"not within {seconds} s"
            time.sleep(0.1)
        return time.monotonic() - began

    def ready(self, host: str) -> int:
        """The status of readiness; 0 where nobody answers."""
        try:
            return self.ask(host, "/health/ready")[0]
        except httpx.TransportError:
            return 0
