"""Random faults one after the other under one client, for so many seconds: nothing acknowledged may be lost (R11)."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from hostmuster.drills.catalogue import DRILLS
from hostmuster.drills.counting import account
from hostmuster.drills.drill import Drill, Promise
from hostmuster.drills.evidence import Evidence, Happened
from hostmuster.drills.faults.fault import Cause, Ground, NoGround
from hostmuster.drills.ground import causes, ground, require_alone, require_confirmed
from hostmuster.drills.holding import held
from hostmuster.drills.load import Load
from hostmuster.drills.running import Running
from hostmuster.drills.scene import Scene
from hostmuster.drills.sheet import Sheet, begun
from hostmuster.engine.opening import Opening
from hostmuster.engine.record import Record
from hostmuster.engine.rollout import whole_fleet
from hostmuster.errors import HostFailed, Refused

SECONDS = 300
SOAK = Drill(
    name="soak",
    text="Random faults on random hosts, one after the other under load: what was acknowledged is there afterwards.",
    requirement="R11 H20",
    tier="control_plane",
    role="server",
    faults=(),
    promise=Promise(),
)

Choice = tuple[Drill, Ground, Cause]


def choices(opening: Opening) -> list[Choice]:
    """Every fault of every drill, on every host that it may be caused on."""
    found = []
    for drill in DRILLS.values():
        for host in () if drill.kills else opening.fleet.with_role(drill.role):
            try:
                where = ground(drill, opening.fleet, host.name)
                found += [(drill, where, cause) for cause in causes(drill, where)[0]]
                require_alone(drill, where, opening)
            except NoGround:
                continue
    return found


def soak(opening: Opening, record: Record, seconds: int, seed: int) -> Evidence:
    """Raises Refused, nothing touched: where no fault at all has ground here, and as every drill does."""
    found = choices(opening)
    if not found:
        raise Refused("no fault of any drill has ground here", where=opening.fleet.name, remedy="hostmuster drill.list")
    where = found[0][1]
    require_confirmed(where, opening.job.confirm, all_of_them=True)
    sheet = Sheet(opening, record, SOAK, begun(opening, SOAK, None))
    sheet.evidence.versions["seed"] = str(seed)
    with whole_fleet(opening, record) as visits:
        order = random.Random(seed)  # noqa: S311 - the same seed is to give the same faults
        return held(sheet, where, visits, partial(_random, found=found, order=order, seconds=seconds))


def _random(
    sheet: Sheet, scene: Scene, load: Load, *, found: list[Choice], order: random.Random, seconds: int
) -> Iterator[Happened]:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        drill, where, cause = order.choice(found)
        # What each shows by itself is its own drill's; here only the client counts.
        plain = replace(drill, during=(), after=())
        sheet.record.phase(where.target.name, "drill", f"soak: {cause.says}")
        yield Running(sheet.opening, sheet.record, plain, replace(scene, ground=where), sheet.at).cause(cause)
        _require_kept(scene, load)


def _require_kept(scene: Scene, load: Load) -> None:
    """Raises HostFailed at the first acknowledged task that is gone: a soak ends there."""
    counted = account(scene, list(load.acknowledgements()), 0) if scene.ground.drilling.client.post else None
    if counted and counted.lost:
        raise HostFailed(f"{counted.lost} acknowledged tasks are lost", remedy="the last fault in the evidence is why")
