"""Two hosts whose workload is one of several backends, with keys from the store; and a renderer beside each."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.fleet_on_lab import REPOSITORY, FleetOnLab, machines_of

HOSTS = ("server-1", "worker-1")  # Debian 12 and 13
PORT, RENDERER_PORT = 8080, 8090
READERS: dict[str, dict[str, Any]] = {
    "backend": {
        "unit": "workload.service",
        "env": {
            "RUNTIME_RSA_KEY_ID": "signing#kid",
            "RUNTIME_RSA_PREVIOUS_KEYS": "signing#previous",
            "AI_SECRET_ENCRYPTION_KEY": "ai-key",
            "REDIS_URL": "redis",
        },
        "files": {"signing-key": "signing#private_key", "render-credential": "render"},
    },
    "renderer": {"unit": "workload-renderer.service", "files": {"render-credential": "render"}},
}
STORED = {"signing": "rsa-signing-ring", "ai-key": "fernet", "render": "shared-credential"}


def with_database() -> dict[str, Any]:
    """The readers, the backend's with DATABASE_URL."""
    env = {**READERS["backend"]["env"], "DATABASE_URL": "database-url"}
    return {**READERS, "backend": {**READERS["backend"], "env": env}}


def two_hosts(net: Subnet) -> list[Machine]:
    """One of each Debian."""
    return [Machine(name, net.at(11 + at), 12 + at, (name.partition("-")[0],)) for at, name in enumerate(HOSTS)]


class BackendsFleet(FleetOnLab):
    """A project of its own with three of the repository's items."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, name)
        self.own_checklist("env_files", "secrets", "units")


class Backends:
    """The fleet on its lab."""

    def __init__(self, fleet: BackendsFleet, lab: Lab) -> None:
        self.fleet, self.lab = fleet, lab
        self.urls = {m.name: f"http://{m.address}:{PORT}" for m in machines_of(lab)}

    def made(self, database_url: str = "", redis_url: str = "redis://:s3cr3t-of-redis@redis.example.net/0") -> None:
        """From bare hosts to backends that serve; with a database where one is given."""
        renderer = self.urls[HOSTS[1]].replace(f":{PORT}", f":{RENDERER_PORT}")
        values = {"BACKEND_MULTI_INSTANCE": True, "ASSET_STORAGE_DRIVER": "s3", "S3_BUCKET": "artefacts"}
        shared = {
            "path": "/etc/workload/backend.env",
            "consumer": "systemd",
            "restarts": ["workload.service"],
            "values": values | {"RENDERER_URL": renderer},
        }
        workload = {"drain_s": 5, "stop_s": 10, "token_s": 10, "renderer": RENDERER_PORT}
        self.fleet.settings = {
            "env_files": {"files": {"backend": shared}},
            "secrets": {"readers": with_database() if database_url else READERS},
            "units": {"workload": workload},
        }
        self.fleet.declare(machines_of(self.lab))
        self.say("secrets.init")
        for name, kind in STORED.items():
            self.say("secrets.set", name, "--kind", kind, "--generate")
        self.say("secrets.set", "redis", "--kind", "redis-url", stdin=redis_url)
        if database_url:
            self.say("secrets.set", "database-url", stdin=database_url)
        for word in ("bootstrap", "secrets.rollout", "apply"):
            self.say(word)

    def say(self, *words: str, stdin: str = "") -> None:
        """A command that has to succeed."""
        done = self.fleet.hostmuster(*words, stdin=stdin)
        assert done.exit == 0, f"{words}: {done.output}{done.errors}"

    def ask(self, host: str, path: str, body: str | None = None) -> tuple[int, Mapping[str, Any]]:
        """What a host's backend answers to the controller."""
        answer = httpx.request("POST" if body is not None else "GET", self.urls[host] + path, content=body, timeout=5)
        return answer.status_code, answer.json()

    def gave_up(self, host: str) -> str:
        """The exit code with which a host's backend, just started, gives up."""
        unit = "workload.service"
        waits = f"until systemctl is-failed -q {unit}; do sleep 0.1; done"
        return self.lab.run(host, f"{waits}; systemctl show -p ExecMainStatus --value {unit}").stdout.strip()

    def probed(self, seconds: float) -> tuple[int, Any]:
        """The prober's exit code and what it saw in that time."""
        asked = [f"{name}={url}" for name, url in self.urls.items()]
        command = [sys.executable, "-m", "hostmuster.drills.probes.tokens", "--seconds", str(seconds), *asked]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=REPOSITORY)
        return done.returncode, json.loads(done.stdout)
