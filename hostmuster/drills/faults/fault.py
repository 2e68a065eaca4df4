"""A fault: what is done to a target, and what takes it back by itself, whatever becomes of whoever did it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from hostmuster.model.drilling import Drilling, Service
from hostmuster.model.fleet import Fleet, Host
from hostmuster.resources.step import Sent

HOSTMUSTER = (sys.executable, "-P", "-m", "hostmuster.tasks.program")


class NoGround(Exception):
    """The fleet gives no ground for it; the text is why."""


@dataclass(frozen=True)
class Ground:
    """Where a drill is held."""

    fleet: Fleet
    target: Host

    @property
    def drilling(self) -> Drilling:
        """The fleet file's section on drills."""
        return self.fleet.drilling

    @property
    def others(self) -> tuple[Host, ...]:
        """All hosts but the target."""
        return tuple(host for host in self.fleet.hosts.values() if host != self.target)

    def service(self, role: str) -> Service:
        """What runs on hosts of a role. Raises NoGround where the fleet file does not say."""
        if role not in self.drilling.services:
            raise NoGround(f"drills.services names no unit for the role {role}")
        return self.drilling.services[role]

    def in_lab(self, task: str, *words: str) -> tuple[str, ...]:
        """The command that does something to the target's machine in the lab, as an operator would type it."""
        return (*HOSTMUSTER, task, self.target.name, "--fleet", self.fleet.name, *words)


@dataclass(frozen=True)
class OnHost:
    """Steps of the host's own transaction, armed: what takes them back is on its disk, with a timer and a unit of the
    next boot, before the first is taken. `heals`: the unit that its supervisor is to bring back by itself.
    """

    says: str
    steps: tuple[Sent, ...]
    heals: str = ""
    silences: bool = False


@dataclass(frozen=True)
class Beside:
    """A command on the controller, and the one that takes it back: armed in a process that outlives ours. `silences`:
    nobody reaches the host while it lasts.
    """

    says: str
    cause: tuple[str, ...]
    undo: tuple[str, ...]
    heals: str = ""
    silences: bool = False


Cause = OnHost | Beside
FaultMaker = Callable[[Ground], Cause]


@dataclass(frozen=True)
class Fault:
    """`name`: as it is told where it cannot be caused here. `make` is pure; it raises NoGround."""

    name: str
    make: FaultMaker = field(repr=False)
