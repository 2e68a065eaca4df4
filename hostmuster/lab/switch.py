"""The switch: a bridge in a network namespace of the lab's own, with the lab's clock and package proxy on it.

Bridged packets of the machine's own namespace pass its FORWARD chain once br_netfilter is on, and Docker on the
machine sets that to DROP: VRRP adverts vanish and both hosts become master. In its own namespace the bridge has
no rules but the lab's, whatever the machine's firewall says, and the namespace takes bridge, ports, addresses and
rules with it when its last process ends. The machine gets one interface: its cable into the switch.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

from hostmuster.errors import HostmusterError
from hostmuster.lab import package_cache, tool
from hostmuster.lab.cgroup import ControlGroup
from hostmuster.lab.folder import LabFolder
from hostmuster.lab.subnet import Subnet

BRIDGE = "br0"

# This namespace's own copy of the settings; without br_netfilter there is none.
SETTING = "/proc/sys/net/bridge/bridge-nf-call-"
FILTERS = f'for file in {SETTING}*; do ! grep -qsx 1 "$file" || echo "${{file##*-}}"; done'

CLOCK = """\
local stratum 5
allow {v4}
allow {v6}
bindaddress {bridge}
bindcmdaddress /
cmdport 0
pidfile {folder}/chronyd.pid
driftfile {folder}/drift
user root
"""


@dataclass(frozen=True)
class Switch:
    """What the hosts of one lab are plugged into."""

    folder: LabFolder
    subnet: Subnet

    @property
    def control_group(self) -> ControlGroup:
        """The group that holds the namespace, the clock and the package proxy."""
        return ControlGroup.named(self.folder.name, "_switch")

    @property
    def _holder(self) -> ControlGroup:
        return ControlGroup.named(self.folder.name, "_switch", "holder")

    @property
    def namespace(self) -> Path:
        """The network namespace, as nsenter takes it. Raises HostmusterError when the switch is off."""
        for process in self._holder.processes():
            place = Path(f"/proc/{process}/ns/net")
            if place.readlink() != Path("/proc/self/ns/net").readlink():
                return place
        raise HostmusterError("the lab is not up", where=self.folder.name, remedy="hostmuster lab.up")

    @property
    def is_on(self) -> bool:
        """Whether its namespace, cable, clock and package proxy are all there."""
        parts = ("holder", "clock", "packages")
        alive = all(ControlGroup.named(self.folder.name, "_switch", part).is_populated for part in parts)
        return alive and Path("/sys/class/net", self.subnet.link).exists()

    def inside(self, *argv: str, stdin: str | None = None) -> str:
        """Run a program in the switch's namespace and return what it printed."""
        return tool.run("nsenter", f"--net={self.namespace}", "--", *argv, stdin=stdin)

    def on(self) -> None:
        """Bring it up; what a killed attempt left of it goes first."""
        self.off()
        self._holder.start(["unshare", "--net", "sleep", "infinity"], self.folder.root / "switch.log")
        self._await_namespace()
        self._plug_in()
        self._start_services()

    def _await_namespace(self, seconds: float = 5.0) -> None:
        end = time.monotonic() + seconds
        while True:
            try:
                self.inside("true")
                return
            except (HostmusterError, OSError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def _plug_in(self) -> None:
        net = self.subnet
        holder = self.namespace.parts[2]
        tool.run("ip", "link", "add", net.link, "type", "veth", "peer", "name", "uplink", "netns", holder)
        inside = [
            "link set lo up",
            f"link add {BRIDGE} type bridge mcast_snooping 0",
            f"link set {BRIDGE} up",
            f"addr add {net.bridge}/24 dev {BRIDGE}",
            f"addr add {net.v6_at(1)}/64 dev {BRIDGE} nodad",
            f"link set uplink master {BRIDGE} up",
        ]
        self.inside("ip", "-batch", "-", stdin="\n".join(inside) + "\n")
        self.clear_bridge()
        outside = [
            f"addr add {net.controller}/24 dev {net.link}",
            f"addr add {net.v6_at(2)}/64 dev {net.link} nodad",
            f"link set {net.link} up",
        ]
        tool.run("ip", "-batch", "-", stdin="\n".join(outside) + "\n")

    @property
    def bridge_filters(self) -> tuple[str, ...]:
        """The programs whose rules bridged packets pass here, by br_netfilter: none, as it should be."""
        return tuple(self.inside("sh", "-c", FILTERS).split())

    def clear_bridge(self) -> None:
        """Lets no rule of iptables see bridged packets. Raises HostmusterError where the machine does not take that."""
        for program in self.bridge_filters:
            tool.attempt(["nsenter", f"--net={self.namespace}", "--", "sh", "-c", f"echo 0 >{SETTING}{program}"])
        left = self.bridge_filters
        if left:
            raise HostmusterError(
                f"bridged packets pass the rules of {', '.join(left)}: VRRP adverts may vanish, and two hosts own one "
                "address",
                where=f"lab {self.folder.name}",
                remedy=f"set net.bridge.bridge-nf-call-{left[0]} to 0 on this machine",
            )

    def _start_services(self) -> None:
        folder = self.folder.root / "clock"
        folder.mkdir(mode=0o700, exist_ok=True)
        configuration = folder / "chrony.conf"
        net = self.subnet
        configuration.write_text(CLOCK.format(v4=net.v4, v6=net.v6, bridge=net.bridge, folder=folder))
        enter = ["nsenter", f"--net={self.namespace}", "--"]
        log = self.folder.root / "switch.log"
        start = ControlGroup.named(self.folder.name, "_switch", "clock").start
        # -x: it serves the machine's time and never sets it.
        start([*enter, "chronyd", "-n", "-x", "-f", str(configuration)], log)
        start = ControlGroup.named(self.folder.name, "_switch", "packages").start
        proxy = package_cache.passing(f"{net.bridge}:{package_cache.PORT}", str(package_cache.socket_file()))
        start([*enter, *proxy], log)

    def ports(self) -> dict[str, bool]:
        """Every host's port by interface name, and whether it is on the bridge."""
        listed = json.loads(self.inside("ip", "-json", "link", "show", "type", "veth"))
        return {str(link["ifname"]): link.get("master") == BRIDGE for link in listed if link["ifname"] != "uplink"}

    def off(self) -> None:
        """End everything on it; its bridge, ports, addresses and rules go with its namespace."""
        self.control_group.kill()
        # The kernel takes a dead namespace apart in the background; the cable's other end may outlive it a moment.
        if Path("/sys/class/net", self.subnet.link).exists():
            tool.attempt(["ip", "link", "delete", self.subnet.link])
