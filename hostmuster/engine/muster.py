"""The whole fleet mustered: its hosts compared with what is declared, proved, or made so."""

from __future__ import annotations

from functools import partial

from hostmuster.engine import fleet_run, saved_plan
from hostmuster.engine.opening import Opening
from hostmuster.engine.preflight import require_shared_to_start
from hostmuster.engine.record import Record
from hostmuster.engine.saved_plan import SavedPlan
from hostmuster.engine.source import Source
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostmusterError


def check(opening: Opening, record: Record) -> list[Visit]:
    """Looks, and changes nothing. Raises HostmusterError where a plan is to be saved and a host was not seen."""
    visits = opening.visits(record, lease=False, compared=True)
    try:
        fleet_run.look(visits)
    finally:
        _close(visits)
    if opening.job.out is not None:
        missing = [visit.host.name for visit in visits if visit.state is None]
        if missing:
            what = f"no plan was saved: {', '.join(missing)} could not be looked at"
            raise HostmusterError(what, remedy="leave them out with --limit, or bring them back")
        plans = {visit.host.name: visit.plan for visit in visits}
        saved_plan.save(opening.job.out, opening.fleet.name, plans, item=opening.job.item)
    return visits


def verify(opening: Opening, record: Record) -> list[Visit]:
    """Every effect, on the hosts as they are."""
    visits = opening.visits(record, lease=False)
    fleet_run.each(visits, lambda visit: visit.prove(deep=opening.job.deep))
    _close(visits)
    return visits


def apply(opening: Opening, record: Record) -> list[Visit]:
    """As declared, or as a saved plan has it, in batches. Raises Refused before anything is touched."""
    job = opening.job
    saved = SavedPlan.load(job.plan, opening.fleet.name) if job.plan else None
    visits = opening.visits(record, lease=True)
    if saved is not None:
        visits = [visit for visit in visits if visit.host.name in saved.hosts]
    batches = fleet_run.Batches(job.canary, job.batch, job.failures)
    try:
        admit = partial(require_shared_to_start, opening)
        fleet_run.apply(visits, batches, record, saved=saved, source=Source(opening.project.root), admit=admit)
    finally:
        _close(visits)
    return visits


def _close(visits: list[Visit]) -> None:
    for visit in visits:
        visit.close()
