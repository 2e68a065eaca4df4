"""A clock that is wrong: chrony is told that its servers are some seconds off, and believes it (H8)."""

from __future__ import annotations

from hostmuster.drills.faults.fault import Fault, Ground, NoGround, OnHost
from hostmuster.resources.step import Keep, Run

OFFSET_S = 5
SOURCES = "/etc/chrony/sources.d/hostmuster.sources"
SKEW = f"""sed -i -E 's/^(server .*)$/\\1 offset {OFFSET_S}/' "$1" && exec systemctl restart chrony"""
UNDO = ("systemctl", "restart", "chrony")


def _skewed(ground: Ground) -> OnHost:
    clock = ground.target.resolved.models.get("clock")
    if getattr(clock, "client", None) != "chrony":
        raise NoGround("its clock is not set by chrony as hostmuster configures it")
    steps = (Keep(SOURCES), Run(("sh", "-c", SKEW, "sh", SOURCES), undo=UNDO))
    return OnHost(f"its clock is {OFFSET_S} s off", steps)


SKEW_BY_SECONDS = Fault("clock skew", _skewed)
