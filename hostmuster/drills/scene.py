"""What expectations are asked of while a drill goes on: the hosts, the client, the watch."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hostmuster.drills.child import Probe
from hostmuster.drills.faults.fault import Ground
from hostmuster.engine.upkeep import OWN_CHECKS
from hostmuster.engine.visit import Visit
from hostmuster.item import Answer
from hostmuster.model.fleet import Host
from hostmuster.monitor.told import OwnChecks
from hostmuster.onhost.program import line


@dataclass(frozen=True)
class Look:
    """One line of the watch: see probes/watch.py."""

    at: float
    ready: Mapping[str, bool]
    depth: Mapping[str, int] | None
    arp: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> Look:
        """From the line."""
        told = json.loads(text)
        return cls(told["at"], told["ready"], told["depth"], told["arp"])

    def owner(self, address: str, hosts: Sequence[Host]) -> str | None:
        """The host that packets to this address go to, as far as the controller's kernel knows."""
        link = self.arp.get(address)
        return next((host.name for host in hosts if link and self.arp.get(host.address) == link), None)


@dataclass
class Scene:
    """A drill under way. `noted`: what an expectation keeps for a later one."""

    ground: Ground
    visits: Mapping[str, Visit]
    watch: Probe
    noted: dict[str, str] = field(default_factory=dict)

    def ask(self, host: str, *argv: str) -> Answer:
        """What a command says there, as root. Raises HostFailed."""
        hold = self.visits[host].hold
        answers = hold.run(line("probe", "asked", *argv))
        hold.raise_refusal()
        return answers["asked"]

    @property
    def now(self) -> Look | None:
        """The watch's last line."""
        return Look.parse(self.watch.lines[-1]) if self.watch.lines else None

    @property
    def looks(self) -> list[Look]:
        """All of them."""
        return [Look.parse(text) for text in self.watch.lines]

    def own_checks(self, host: str) -> OwnChecks | None:
        """What the host's own monitor says; None where it has none. Raises HostFailed."""
        answers = self.visits[host].hold.run(OWN_CHECKS)
        self.visits[host].hold.raise_refusal()
        return OwnChecks.parse(answers["checks"].output)
