"""Two ingress hosts that share addresses, each with an nginx as the package makes it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.fleet_on_lab import FleetOnLab, machines_of

ONE, TWO = "ingress-1", "ingress-2"  # Debian 12 and 13
BOTH = (ONE, TWO)
VIP = 100
PORT = 80
ITEMS = ("access", "firewall", "panel", "virtual_ip", "dns_failover")
"""The checklist: what shares addresses, and what stands before it."""


def two_ingress(net: Subnet) -> list[Machine]:
    """One of each Debian."""
    return [Machine(ONE, net.at(11), 12, ("ingress",)), Machine(TWO, net.at(12), 13, ("ingress",))]


@dataclass(frozen=True)
class Shared:
    """The fleet, its lab, and how its addresses stand."""

    fleet: FleetOnLab
    lab: Lab
    items: Sequence[str] = ITEMS

    @property
    def v4(self) -> str:
        """The shared IPv4 address."""
        return self.lab.subnet.at(VIP)

    @property
    def v6(self) -> str:
        """The shared IPv6 address."""
        return self.lab.subnet.v6_at(VIP)

    def shell(self, host: str, command: str) -> str:
        """Root's shell there; it has to succeed."""
        done = self.lab.run(host, command)
        assert done.ok, f"{host}: {command}\n{done.stdout}{done.stderr}"
        return str(done.stdout)

    def holders(self, address: str) -> list[str]:
        """Who has an address, by the hosts' own word. A host that is off has none."""
        running = [host for host in BOTH if self.lab.hosts[host].state != "off"]
        return [host for host in running if self.lab.run(host, f"ip -o address show to {address}").stdout.strip()]

    def owner(self) -> str:
        """The one host that has both addresses."""
        found = self.holders(self.v4)
        assert len(found) == 1 and self.holders(self.v6) == found, (found, self.holders(self.v6))
        return found[0]

    def until(self, holds: Callable[[], bool], within_s: float = 20) -> None:
        """Waits for it."""
        end = time.monotonic() + within_s
        while not holds():
            said = {host: self.lab.run(host, "journalctl -o cat -n 15 -u keepalived").stdout for host in self.up()}
            assert time.monotonic() < end, said
            time.sleep(0.1)

    def up(self) -> list[str]:
        """The hosts that run."""
        return [host for host in BOTH if self.lab.hosts[host].state != "off"]

    def stands(self, *, at: str | None = None) -> bool:
        """Whether one host (`at`) owns both addresses, all hosts' keepalived and nginx running."""
        found = self.holders(self.v4)
        if len(found) != 1 or found != self.holders(self.v6) or at not in (None, found[0]):
            return False
        return all(self.lab.run(host, "systemctl is-active keepalived nginx").ok for host in self.up())

    def move_to(self, host: str) -> None:
        """The host becomes the owner, by an orderly handover."""
        owner = self.owner()
        if owner != host:
            self.shell(owner, "systemctl restart keepalived")
        self.until(lambda: self.stands(at=host))

    def neighbour_sees(self, host: str, address: str) -> str:
        """The MAC that a host would send packets for the address to, after it asked for an answer."""
        self.lab.run(host, f"ping -c 1 -W 1 {address}")
        return str(self.lab.run(host, f"ip neigh show to {address}").stdout)

    def mac(self, host: str) -> str:
        """The host's own."""
        return self.shell(host, "cat /sys/class/net/host0/address").strip()


def settings(net: Subnet, **more: Any) -> dict[str, Any]:
    """The item's, for the two hosts."""
    return {
        "interface": "host0",
        "addresses": [f"{net.at(VIP)}/24", f"{net.v6_at(VIP)}/64"],
        "v6": {ONE: net.v6_at(11), TWO: net.v6_at(12)},
        "health": "http://127.0.0.1/",
        "port": PORT,
        **more,
    }


@contextmanager
def shared_lab(folder: Path, name: str, items: Sequence[str] = ITEMS) -> Iterator[Shared]:
    """A lab brought to it. `items`: the checklist."""
    fleet = FleetOnLab(folder, name)
    fleet.own_checklist(*items)
    with Lab.up(two_ingress, name=name, known_hosts=fleet.known_hosts, disk_bytes=1 << 30) as lab:
        shared = Shared(fleet, lab, items)
        for host in BOTH:
            shared.shell(
                host, "apt-get -qq update && apt-get -qq -y --no-install-recommends install nginx-light && sync"
            )
        declare(shared)
        for words in (["secrets.init"], ["bootstrap"], ["apply"]):
            done = fleet.hostmuster(*words)
            assert done.exit == 0, f"{words}: {done.output}{done.errors}"
        for host in BOTH:
            shared.shell(host, "sync")
        shared.until(shared.stands)
        yield shared


def declare(shared: Shared, others: Mapping[str, Any] = MappingProxyType({}), **more: Any) -> None:
    """The fleet file; `others`: settings of other items."""
    net = shared.lab.subnet
    shared.fleet.settings = {
        "firewall": {"allow": [{"name": "web", "ports": [PORT], "from": ["anywhere"]}]},
        "virtual_ip": settings(net, **more),
        **others,
    }
    if "clock" in shared.items:
        shared.fleet.settings["clock"] = {"servers": [net.bridge], "minpoll": 0, "maxpoll": 2, "steps": 0}
    shared.fleet.declare(machines_of(shared.lab))
