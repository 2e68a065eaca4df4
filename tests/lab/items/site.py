"""Two hosts that the tests bring to the repository's own checklist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from hostmuster.lab.lab import Lab
from tests.lab.fleet_on_lab import REPOSITORY, Finished, FleetOnLab, machines_of


@dataclass(frozen=True)
class Site:
    """Two hosts as the repository's own lab declares them."""

    fleet: FleetOnLab
    lab: Lab

    def shell(self, host: str, command: str) -> str:
        """Root's shell there; it has to succeed."""
        done = self.lab.run(host, command)
        assert done.ok, f"{host}: {command}\n{done.stdout}{done.stderr}"
        return str(done.stdout)

    def declare(self, **settings: Any) -> None:
        """The repository's settings with the lab's addresses; `settings` are laid over them, item by item."""
        prefix = self.lab.subnet.bridge.removesuffix("1")
        text = (REPOSITORY / "inventory" / "lab.yml").read_text().replace("10.213.0.", prefix)
        own = yaml.safe_load(text)["settings"]
        own["clock"]["deadline_s"] = 20
        own["units"]["workload"]["ready_s"] = 10
        self.fleet.settings = {item: own.get(item, {}) | settings.get(item, {}) for item in {*own, *settings}}
        self.fleet.declare(machines_of(self.lab))

    def apply(self) -> Finished:
        """An apply that has to succeed."""
        done = self.fleet.run("apply")
        assert done.exit == 0, done.errors
        return done

    def starts(self, host: str) -> int:
        """How often the workload was started there."""
        return int(self.shell(host, "journalctl -u workload -o cat | grep -c ' listens on '"))

    def log_level(self, level: str) -> dict[str, Any]:
        """The env_files settings with another value of one variable."""
        files = self.fleet.settings["env_files"]["files"]
        service = files["service"] | {"values": files["service"]["values"] | {"LOG_LEVEL": level}}
        return {"files": files | {"service": service}}
