"""Three hosts on which drills are held: two servers asked directly, and a worker with a container."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hostmuster.drills.evidence import Evidence
from hostmuster.drills.steady import LEFT
from hostmuster.lab import container_image
from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.fleet_on_lab import Finished, FleetOnLab, machines_of

ARCHIVE = "web.tar"
DRILLS: dict[str, Any] = {
    "services": {"server": {"unit": "workload.service", "ready": "http://{address}:8080/health/ready"}},
    "client": {"get_hz": 50},
    "watch_s": 3,
    "undo_s": 30,
}
WEB = {
    "image": "lab/web:1",
    "publish": [{"port": 8081, "to": 80}],
    "command": ["httpd", "-f", "-p", "80", "-h", "/bin"],
    "ready": ["docker", "exec", "web", "true"],
    "stop_s": 1,
}


def three_hosts(net: Subnet) -> list[Machine]:
    """Two servers, and a worker of the newer Debian; the other worker is one in name alone."""
    return [
        Machine("server-1", net.at(11), 12, ("server",)),
        Machine("server-2", net.at(12), 12, ("server", "worker")),
        Machine("worker-1", net.at(13), 13, ("worker",)),
    ]


@dataclass
class Drilled:
    """The project, its lab, and how drills on it end."""

    fleet: FleetOnLab
    lab: Lab

    def made(self) -> None:
        """From bare hosts to a fleet on which all holds."""
        (self.fleet.folder / ARCHIVE).write_bytes(
            container_image.archive({"bin/busybox": container_image.busybox()}, "lab/web:1")
        )
        self.declare()
        for words in (("secrets.init",), ("bootstrap",), ("apply",)):
            done = self.fleet.hostmuster(*words)
            assert done.exit == 0, f"{words}: {done.output}{done.errors}"

    def declare(self, **drills: Any) -> None:
        """The fleet file; `drills` over what its section says otherwise."""
        self.fleet.settings = {"units": {"workload": {"drain_s": 2, "stop_s": 4}}, "monitor": {"interval_s": 3}}
        self.fleet.extra = {**self.fleet.extra, "drills": {**DRILLS, **drills}, "lease_s": 5, "silence_s": 8}
        self.fleet.host_settings["worker-1"] = {
            "images": {"declared": {"lab/web:1": {"archive": ARCHIVE}}},
            "containers": {"declared": {"web": WEB}},
            # It has no workload.
            "units": {"workload": None},
        }
        self.fleet.declare(machines_of(self.lab))

    def begun(self, drill: str, **job: Any) -> subprocess.Popen[str]:
        """An engine that holds a drill with what only its killers say: `pause`, `undo_s`."""
        given = {"command": "drill", "project": str(self.fleet.folder), "fleet": self.fleet.name, "drill": drill}
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "hostmuster.engine"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self.fleet.environment,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps({**given, "holder": "tests", **job}))
        process.stdin.close()
        return process

    def probes(self) -> list[str]:
        """Processes of drills of this project that live on this machine."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                words = (place / "cmdline").read_bytes().decode().split("\0")
                mine = (place / "cwd").readlink() == self.fleet.folder or str(self.fleet.folder) in " ".join(words)
            except OSError:
                continue
            if mine and any(word.startswith("hostmuster.drills") for word in words):
                found.append(" ".join(words))
        return found

    def at_rest(self) -> list[str]:
        """What a drill would have left on the hosts, and hosts that are off or cut."""
        states = [f"{name} is {host.state}" for name, host in self.lab.hosts.items() if host.state != "running"]
        running = [name for name, host in self.lab.hosts.items() if host.state != "off"]
        return [*states, *(line for name in running for line in self.lab.run(name, LEFT).stdout.splitlines())]

    def run(self, name: str, *words: str) -> Finished:
        """A drill, with its document."""
        return self.fleet.run("drill.run", name, *words)

    def held(self, name: str, *words: str) -> Evidence:
        """A drill that has to pass, and its evidence as it lies in reports/."""
        done = self.run(name, *words)
        assert done.exit == 0, f"{done.output}\n{done.errors}"
        (one,) = done.document["drills"]
        return self.evidence(one["id"])

    def evidence(self, drill: str) -> Evidence:
        """By its id."""
        return Evidence.model_validate_json((self.reports / drill / "evidence.json").read_bytes())

    @property
    def reports(self) -> Path:
        return self.fleet.folder / "reports"

    def on(self, host: str, command: str) -> str:
        """Root's shell there; it has to succeed."""
        done = self.lab.run(host, command)
        assert done.ok, f"{host}: {command}\n{done.stdout}{done.stderr}"
        return done.stdout.strip()
