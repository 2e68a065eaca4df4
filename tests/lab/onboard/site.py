"""Three hosts of the repository's own lab settings, of which a test says who is in the fleet."""

from __future__ import annotations

import subprocess

import yaml

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.fleet_on_lab import REPOSITORY, FleetOnLab, machines_of

OLD, NEW, THIRD = "server-1", "worker-1", "worker-2"


def three_hosts(net: Subnet) -> list[Machine]:
    """Both Debian releases, and one that comes later."""
    return [
        Machine(OLD, net.at(11), 12, ("server",)),
        Machine(NEW, net.at(12), 13, ("worker",)),
        Machine(THIRD, net.at(13), 12, ("worker",)),
    ]


class Site:
    """The repository's own lab settings on these hosts, of which `declare` says who is in the fleet."""

    def __init__(self, fleet: FleetOnLab, lab: Lab) -> None:
        self.fleet, self.lab = fleet, lab

    def declare(self, *names: str) -> None:
        text = (REPOSITORY / "inventory" / "lab.yml").read_text()
        prefix = self.lab.subnet.bridge.removesuffix("1")
        self.fleet.settings = yaml.safe_load(text.replace("10.213.0.", prefix))["settings"]
        self.fleet.declare(machine for machine in machines_of(self.lab) if machine.name in names)

    def fingerprint(self, host: str) -> str:
        """As ssh-keygen prints it, from the host's own file."""
        return self.lab.run(host, "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub").stdout.split()[1]

    def pins(self) -> str:
        file = self.fleet.known_hosts
        return file.read_text() if file.exists() else ""

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.fleet.command("onboard", *words, "--json"),
            cwd=self.fleet.folder,
            env=self.fleet.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
