"""Two hosts, one of each Debian: enough for most tests, and what nearly all of them use."""

from __future__ import annotations

from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet

OLD, NEW = "server-1", "worker-1"  # Debian 12 and 13
HOSTS = (OLD, NEW)


def two_hosts(net: Subnet) -> list[Machine]:
    """One of each Debian."""
    return [Machine(OLD, net.at(11), 12, ("server",)), Machine(NEW, net.at(12), 13, ("worker",))]
