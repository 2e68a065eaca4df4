"""A service that the kernel kills for want of memory (R11). Guests of a lab have no control over memory of their own,
so there it is done from outside."""

from __future__ import annotations

import sys

from hostmuster.drills.faults.fault import Beside, Cause, Fault, Ground, NoGround
from hostmuster.lab import memory


def starved(role: str = "server") -> Fault:
    """The declared service of a role."""

    def make(ground: Ground) -> Cause:
        unit = ground.service(role).unit
        if not ground.fleet.lab:
            raise NoGround("out of memory is caused in a lab alone, from outside the host")
        if not memory.is_there():
            raise NoGround("this machine has no memory control groups that a guest's process could be moved to")
        command = (sys.executable, "-P", "-m", "hostmuster.lab.memory")
        given = (ground.fleet.name, ground.target.name)
        starve, release = (*command, "starve", *given, unit), (*command, "release", *given)
        return Beside(f"{unit} out of memory", starve, release, heals=unit)

    return Fault("out of memory", make)
