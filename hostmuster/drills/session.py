"""Drills as commands: which there are here, one held, all held; and the exit code of each (CLI.md)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Final

from hostmuster.drills.catalogue import DRILLS, named
from hostmuster.drills.drill import Drill
from hostmuster.drills.evidence import Evidence
from hostmuster.drills.faults.fault import NoGround
from hostmuster.drills.ground import causes, ground
from hostmuster.drills.holding import hold
from hostmuster.drills.soak import SECONDS, soak
from hostmuster.engine.opening import Opening
from hostmuster.engine.record import Record
from hostmuster.errors import Refused

EXIT: Final[Mapping[str, int]] = {"passed": 0, "failed": 1, "refuted": 2, "not_run": 3}
WORST: Final = (1, 2)
"""Of all drills together: what was not run for want of ground does not make a drill day a bad one."""


def held(opening: Opening, record: Record) -> tuple[dict[str, object], int]:
    """What the job asks for, and the exit code. Raises Refused."""
    match opening.job.command:
        case "drill":
            return run(opening, record)
        case "drill_all":
            return run_all(opening, record)
        case "soak":
            return soaked(opening, record)
    return listed(opening)


def listed(opening: Opening) -> tuple[dict[str, object], int]:
    """Every drill, and whether the fleet gives ground for it."""
    drills = [_listed(one, opening) for one in DRILLS.values()]
    return {"fleet": opening.fleet.name, "lab": opening.fleet.lab, "listed": drills}, 0


def _listed(drill: Drill, opening: Opening) -> dict[str, object]:
    known = {"drill": drill.name, "requirement": drill.requirement, "text": drill.text}
    try:
        where = ground(drill, opening.fleet, None)
        found, not_run = causes(drill, where)
    except NoGround as why:
        return {**known, "host": None, "faults": [], "not_run": [str(why)]}
    return {**known, "host": where.target.name, "faults": [one.says for one in found], "not_run": not_run}


def run(opening: Opening, record: Record) -> tuple[dict[str, object], int]:
    """The drill of the job. Raises Refused."""
    evidence = hold(opening, record, named(opening.job.drill or ""))
    return {"fleet": opening.fleet.name, "drills": [told(opening, evidence)]}, EXIT[evidence.verdict]


def run_all(opening: Opening, record: Record) -> tuple[dict[str, object], int]:
    """Each drill in turn; what follows one that left the fleet unsteady is not run. Raises Refused before any."""
    held: list[Evidence] = []
    for drill in DRILLS.values():
        try:
            held.append(hold(opening, record, drill))
        except Refused as error:
            if not any(one.verdict != "not_run" for one in held):
                raise
            record.warning(f"{drill.name} and what comes after it is not run: {error}")
            break
    codes = {EXIT[one.verdict] for one in held}
    stopped = len(held) < len(DRILLS)
    code = next((one for one in WORST if one in codes), 1 if stopped else 0)
    return {"fleet": opening.fleet.name, "drills": [told(opening, one) for one in held]}, code


def soaked(opening: Opening, record: Record) -> tuple[dict[str, object], int]:
    """Random faults. Raises Refused."""
    seed = opening.job.seed if opening.job.seed is not None else secrets.randbelow(1_000_000)
    evidence = soak(opening, record, opening.job.seconds or SECONDS, seed)
    return {"fleet": opening.fleet.name, "seed": seed, "drills": [told(opening, evidence)]}, EXIT[evidence.verdict]


def told(opening: Opening, evidence: Evidence) -> dict[str, object]:
    """A drill as --json has it: its evidence, and where its page lies."""
    page = opening.project.reports / evidence.id / "report.html"
    return {**evidence.model_dump(), "page": str(page)}
