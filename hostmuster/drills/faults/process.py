"""A signal to a service's main process (R11). Its supervisor is to bring it back; if it does not, the undoing does."""

from __future__ import annotations

from hostmuster.drills.faults.fault import Fault, Ground, OnHost
from hostmuster.resources.step import Run


def signal(name: str, role: str = "server") -> Fault:
    """The signal by its name, to the declared service of a role."""

    def make(ground: Ground) -> OnHost:
        return killed(ground.service(role).unit, name)

    return Fault(f"SIG{name}", make)


def killed(unit: str, name: str, whom: str = "main") -> OnHost:
    """The signal to a unit's processes: `main` or `all`."""
    bring_back = ("sh", "-c", 'systemctl reset-failed "$1"; exec systemctl start "$1"', "sh", unit)
    kill = ("systemctl", "kill", f"--kill-who={whom}", f"--signal=SIG{name}", unit)
    return OnHost(f"SIG{name} to {unit}", (Run(kill, undo=bring_back),), heals=unit)


def kill_all(unit: str) -> Fault:
    """SIGKILL to every process of a unit by name."""

    def make(_ground: Ground) -> OnHost:
        return killed(unit, "KILL", "all")

    return Fault(f"SIGKILL to {unit}", make)
