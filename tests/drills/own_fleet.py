"""The repository's own fleet as inventory/lab.yml declares it, all of it or some of its roles, at another place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from hostmuster.lab.demo import SECRETS
from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.fleet_on_lab import REPOSITORY, Finished, FleetOnLab

FILE = REPOSITORY / "inventory" / "lab.yml"
ROLES = frozenset({"server", "worker", "ingress", "database"})


@dataclass
class OwnFleet:
    """The project and its lab."""

    fleet: FleetOnLab
    lab: Lab

    def made(self) -> None:
        """As `make demo` makes it."""
        self.declare()
        self.say("secrets.init")
        for name, kind in SECRETS.items():
            self.say("secrets.set", name, "--kind", kind, "--generate")
        for word in ("bootstrap", "secrets.rollout", "apply"):
            self.say(word)

    def declare(self, drills: Mapping[str, Any] = MappingProxyType({}), **ingress: Any) -> None:
        """The repository's file, but for the network; `drills` over what its section says, `ingress` over that of
        virtual_ip."""
        net = self.lab.subnet
        text = FILE.read_text().replace("10.213.0.", net.bridge.removesuffix("1"))
        text = text.replace("fd00:213::", net.v6_at(1).removesuffix("1"))
        body = yaml.safe_load(text) | {"fleet": self.fleet.name}
        _without(ROLES - {role for host in self.lab.hosts.values() for role in host.machine.roles}, body)
        body["drills"] |= drills
        body["roles"]["ingress"]["settings"]["virtual_ip"] |= ingress
        (self.fleet.folder / "inventory" / f"{self.fleet.name}.yml").write_text(yaml.safe_dump(body, sort_keys=False))

    def say(self, *words: str) -> Finished:
        """A command that has to succeed."""
        done = self.fleet.hostmuster(*words, timeout_s=900)
        assert done.exit == 0, f"{words}: {done.output}{done.errors}"
        return done


def _without(roles: Set[str], body: Any) -> None:
    """The fleet without roles that no host of the lab has."""
    body["hosts"] = {name: one for name, one in body["hosts"].items() if roles.isdisjoint(one["roles"])}
    body["roles"] = {role: one for role, one in body["roles"].items() if role not in roles}
    body["drills"]["services"] = {role: one for role, one in body["drills"]["services"].items() if role not in roles}
    for part in (body, *body["roles"].values()):
        for allowed in part["settings"].get("firewall", {}).get("allow", ()):
            allowed["from"] = [who for who in allowed["from"] if who not in roles]


@contextmanager
def own_fleet(folder: Path, name: str, roles: Set[str] = ROLES) -> Iterator[OwnFleet]:
    """From bare hosts of these roles to a fleet on which all holds."""
    declared = yaml.safe_load(FILE.read_text())["hosts"]

    def machines(net: Subnet) -> list[Machine]:
        return [
            Machine(host, net.at(int(one["address"].rpartition(".")[2])), one["debian"], tuple(one["roles"]))
            for host, one in declared.items()
            if not roles.isdisjoint(one["roles"])
        ]

    fleet = FleetOnLab(folder, name)
    with Lab.up(machines, name=name, known_hosts=fleet.known_hosts) as lab:
        here = OwnFleet(fleet, lab)
        here.made()
        yield here
