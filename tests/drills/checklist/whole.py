"""The hosts of these drills, and what a line of the checklist says of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.fleet_on_lab import REPOSITORY, Finished, FleetOnLab, machines_of, roles_used

OLD, NEW = "worker-1", "worker-2"  # Debian 12 and 13; workers have every line, servers run no containers
HOSTS = (OLD, NEW)
NOT_HERE = {"apparmor"}
"""Lines that the lab's kernel cannot hold: not_run, never ok."""


def two_hosts(net: Subnet) -> list[Machine]:
    """One of each Debian."""
    return [
        Machine(OLD, net.at(13), 12, ("server", "worker")),
        Machine(NEW, net.at(14), 13, ("server", "worker")),
    ]


@dataclass(frozen=True)
class Whole:
    """The project and its lab. `onboarded`: how each host's onboarding ended."""

    fleet: FleetOnLab
    lab: Lab
    onboarded: dict[str, Finished] = field(default_factory=dict)

    def declare(self) -> None:
        """The repository's own lab, but for the addresses, who is in it, and how long an effect is waited for."""
        prefix = self.lab.subnet.bridge.removesuffix("1")
        text = (REPOSITORY / "inventory" / "lab.yml").read_text().replace("10.213.0.", prefix)
        own = yaml.safe_load(text)
        # What is broken on purpose is waited for to the end, each time.
        own["settings"]["clock"]["deadline_s"] = 15
        own["settings"]["units"]["workload"]["ready_s"] = 10
        own["roles"]["worker"]["settings"]["containers"]["declared"]["web"]["ready_s"] = 10
        self.fleet.settings = own["settings"]
        self.fleet.declare(machines_of(self.lab))
        file = self.fleet.folder / "inventory" / f"{self.fleet.name}.yml"
        document = yaml.safe_load(file.read_text()) | {"roles": roles_used(own["roles"], machines_of(self.lab))}
        file.write_text(yaml.safe_dump(document, sort_keys=False))

    def shell(self, host: str, command: str) -> str:
        """Root's shell there; it has to succeed."""
        done = self.lab.run(host, command, timeout_s=600)
        assert done.ok, f"{host}: {command}\n{done.stdout}{done.stderr}"
        return str(done.stdout)

    def apply(self) -> Finished:
        """An apply that has to succeed."""
        done = self.fleet.run("apply")
        assert done.exit == 0, done.errors
        return done

    def verify(self) -> Finished:
        """Effects only, those between hosts too."""
        return self.fleet.run("verify", "--deep")


def failed(done: Finished, host: str) -> dict[str, Any]:
    """The lines that do not hold on a host: item to reason."""
    items = done.document["hosts"][host]["items"]
    return {name: part.get("reason") for name, part in items.items() if part["status"] == "failed"}


def not_run(done: Finished, host: str) -> set[str]:
    """The lines in which something could not be run."""
    items = done.document["hosts"][host]["items"]
    return {name for name, part in items.items() if any(one["ok"] is None for one in part["effects"])}
