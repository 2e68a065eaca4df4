"""Evidence and clients as drills leave them."""

from __future__ import annotations

from hostmuster.drills.drill import Drill, Promise
from hostmuster.drills.evidence import (
    BeforeAfter,
    Evidence,
    Happened,
    HostLines,
    Numbers,
    Shown,
    Steady,
    Targets,
)
from hostmuster.drills.faults.power import LOSS
from hostmuster.drills.load import Measured
from hostmuster.drills.scene import Look

BEGAN = 1_795_996_800.0
HOSTS = ("server-1", "server-2", "ingress-1", "ingress-2")
DRILL = Drill(
    name="server-host",
    text="A server loses its power: the other one serves, and nothing that was acknowledged is lost.",
    requirement="H13 H20 R11",
    tier="host",
    role="server",
    faults=(LOSS,),
    promise=Promise(failed={"GET": 0}),
)


def steady(**failed: str) -> Steady:
    """Four hosts on which all holds, but for `failed` on the first."""
    hosts = {host: HostLines(ok=11, not_run=("apparmor",)) for host in HOSTS}
    hosts[HOSTS[0]] = HostLines(ok=11 - len(failed), failed=failed)
    return Steady(hosts=hosts, ready={"server-1": True, "server-2": True})


def evidence(**otherwise: object) -> Evidence:
    """A drill that passed."""
    fields: dict[str, object] = {
        "id": "20261130-000000-server-host-3f2a",
        "drill": "server-host",
        "requirement": "H13 H20 R11",
        "host": "server-1",
        "config_digest": "5a" * 32,
        "versions": {"hostmuster": "0.1.0", "revision": "3f2a91c07d5e", "debian": "12.15"},
        "started": "2026-11-30T00:00:00Z",
        "steady_state": BeforeAfter(before=steady(), after=steady()),
        "fault": [
            Happened(
                what="server-1 loses its power",
                at=BEGAN + 4,
                undoing="in a process beside us, for 70 s, or until we are gone",
                undone=BEGAN + 14,
                back_s=17.5,
                seen=[Shown(name="the other hosts are ready", ok=True, seen="ready: server-2")],
            )
        ],
        "measured": Numbers(
            outage_s=0.3, sampling_s=0.06, failed={"GET": 0, "POST": 7}, acknowledged=512, lost=0, duplicated=0
        ),
        "targets": Targets(outage_s=60, back_s=300, failed={"GET": 0}, lost=0, duplicated=0),
        "cleanup": [Shown(name="nothing is left on server-1", ok=True, seen="no file, rule, timer or mask")],
        "verdict": "passed",
    }
    return Evidence.model_validate(fields | otherwise)


def measured() -> Measured:
    """Twenty seconds of a client; some POSTs fail while the server dies."""
    good = [(3, 0)] * 200
    posts = [(2, 0)] * 40 + [(0, 2), (1, 1), (0, 3), (1, 1)] + [(2, 0)] * 156
    return Measured(
        0.3, 0.06, {"GET": 0, "POST": 7}, {"GET": 600, "POST": 390}, {}, BEGAN, 0.1, {"GET": good, "POST": posts}
    )


def looks() -> list[Look]:
    """A watch over the same time: server-1 is away, the address moves, the queue fills."""
    return [
        Look(
            BEGAN + at / 5,
            {"server-1": not 20 <= at < 80, "server-2": True},
            {"queued": max(0, 40 - abs(at - 45)), "running": 4, "done": at},
            {"10.213.0.100": "aa" if at < 22 else "bb", "10.213.0.15": "aa", "10.213.0.16": "bb"},
        )
        for at in range(100)
    ]


def owner(look: Look, address: str) -> str | None:
    """Whose link-layer address it leads to."""
    return {"aa": "ingress-1", "bb": "ingress-2"}.get(look.arp.get(address, ""))
