"""Cuts: network loss between a host and all others, or between two hosts only.

A whole cut takes the host's port off the bridge: the host keeps its link and its addresses, as in a partition
(link down would make networkd drop them). A cut between two is a pair of ports in the switch's own nftables.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from hostmuster.lab import tool
from hostmuster.lab.switch import BRIDGE, Switch

TABLE = """\
add table bridge cuts
add set bridge cuts pairs { type ifname . ifname; }
add chain bridge cuts forward { type filter hook forward priority 0; policy accept; }
flush chain bridge cuts forward
add rule bridge cuts forward iifname . oifname @pairs drop
"""


def port(machine: str) -> str:
    """The name of a guest's interface on the switch."""
    return f"vb-{machine}"


@dataclass(frozen=True)
class Cuts:
    """The cuts of one lab, by the hosts' machine names (see host.py)."""

    switch: Switch

    def cut(self, machine: str, mark: Path) -> None:
        """Take the host off the network. `mark` says so to a boot that happens meanwhile."""
        mark.touch()
        if port(machine) in self.switch.ports():
            self.switch.inside("ip", "link", "set", port(machine), "nomaster")

    def unplug(self, machine: str) -> None:
        """Pull the cable of a host that is about to lose its power."""
        if port(machine) in self.switch.ports():
            self.switch.inside("ip", "link", "set", port(machine), "down")

    def cut_between(self, one: str, other: str) -> None:
        """Drop what passes between two hosts, both ways; each still reaches all others."""
        self.switch.inside("nft", "-f", "-", stdin=TABLE + "".join(self._elements("add", one, other)))

    def heal(self, machine: str, mark: Path) -> None:
        """Undo every cut that this host is part of."""
        mark.unlink(missing_ok=True)
        if self.switch.ports().get(port(machine)) is False:
            self.switch.inside("ip", "link", "set", port(machine), "master", BRIDGE)
        for one, other in self.pairs():
            if machine in (one, other):
                self.switch.inside("nft", "-f", "-", stdin="".join(self._elements("delete", one, other)))

    def pairs(self) -> set[tuple[str, str]]:
        """All pairs of machine names that are cut from each other, each pair once."""
        enter = ["nsenter", f"--net={self.switch.namespace}", "--"]
        listed = tool.attempt([*enter, "nft", "-j", "list", "set", "bridge", "cuts", "pairs"])
        if listed.returncode != 0:  # nothing was ever cut: there is no such table
            return set()
        found: set[tuple[str, str]] = set()
        for entry in json.loads(listed.stdout)["nftables"]:
            for element in entry.get("set", {}).get("elem", []):
                one, other = sorted(name[3:] for name in element["concat"])
                found.add((one, other))
        return found

    @staticmethod
    def _elements(verb: str, one: str, other: str) -> list[str]:
        a, b = port(one), port(other)
        return [f'{verb} element bridge cuts pairs {{ "{a}" . "{b}", "{b}" . "{a}" }}\n']
