"""Services that are stopped, and stay so until the fault is taken back."""

from __future__ import annotations

from hostmuster.drills.faults.fault import Fault, Ground, OnHost
from hostmuster.resources.step import Run

MASK = 'systemctl mask --runtime --quiet -- "$@"; systemctl stop -- "$@"'
UNMASK = 'systemctl unmask --runtime --quiet -- "$@"; systemctl reset-failed -- "$@"; exec systemctl start -- "$@"'
"""Masked for this boot, or whatever needs it (a socket, a timer) would start it again."""


def stopped(*units: str) -> OnHost:
    """These units, the first of them the service itself."""
    return OnHost(
        f"{units[0]} stopped", (Run(("sh", "-c", MASK, "sh", *units), undo=("sh", "-c", UNMASK, "sh", *units)),)
    )


def stop(*units: str) -> Fault:
    """The units by name, on whatever host."""

    def make(_ground: Ground) -> OnHost:
        return stopped(*units)

    return Fault(f"{units[0]} stopped", make)


def stop_service(role: str) -> Fault:
    """The declared service of a role."""

    def make(ground: Ground) -> OnHost:
        return stopped(ground.service(role).unit)

    return Fault(f"the service of a {role} stopped", make)
