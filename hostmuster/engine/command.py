"""Which command does what, and how every end of a run is told: a result, or an error with its exit code."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from paramiko import Ed25519Key, PKey
from pydantic import ValidationError

from hostmuster.drills import session
from hostmuster.engine import fleet_run, saved_plan
from hostmuster.engine.bootstrap import bootstrap
from hostmuster.engine.evidence import evidenced
from hostmuster.engine.examination import report
from hostmuster.engine.exposure import exposed
from hostmuster.engine.finding import findings, looked
from hostmuster.engine.host_pin import sight
from hostmuster.engine.job import Job
from hostmuster.engine.migrating import migrate
from hostmuster.engine.offboarding import departure, offboard
from hostmuster.engine.onboarding import onboard
from hostmuster.engine.opening import Opening, open_fleet
from hostmuster.engine.outcome import document, exit_code
from hostmuster.engine.preflight import preflight, require_shared_to_start
from hostmuster.engine.record import Record
from hostmuster.engine.replacing import question, revoke, swap, way_of
from hostmuster.engine.rollout import rollout
from hostmuster.engine.rotation import rotate
from hostmuster.engine.saved_plan import SavedPlan
from hostmuster.engine.source import Source
from hostmuster.engine.upkeep import Hosts, failed, freeze, generations, status, thaw, unlock
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostmusterError, of_file
from hostmuster.lab.lab import Lab
from hostmuster.lab.of_fleet import require_up
from hostmuster.report.journal import Journal
from hostmuster.report.redaction import Redaction
from hostmuster.secrets.value import Secret

Result = tuple[dict[str, object], int]


def main(text: str) -> int:
    """Runs the job and gives its exit code (CLI.md)."""
    began = time.monotonic()
    record = Record(Redaction(()))
    try:
        opening = open_fleet(_as_planned(Job.model_validate_json(text)))
        redaction = Redaction(_hidden(opening))
        with Journal(opening.project.reports, opening.run, redaction) as journal:
            return _told(opening, Record(redaction, journal), began)
    except ValidationError as error:
        record.error(f"the job is not one the engine knows: {error.errors()[0]['msg']}", 3)
        return 3
    except HostmusterError as error:
        record.error(str(error), error.exit_code)
        return error.exit_code
    except OSError as error:
        record.error(str(of_file(error)), 1)
        return 1
    except KeyboardInterrupt:
        record.error("interrupted: what was under way on the hosts came to its end, and nothing more was begun", 1)
        return 1


def _as_planned(job: Job) -> Job:
    """A saved plan of one item is applied to that item alone."""
    return job if job.plan is None else job.model_copy(update={"item": SavedPlan.load(job.plan, job.fleet).item})


def _told(opening: Opening, record: Record, began: float) -> int:
    for text in opening.catalogue.not_run:
        record.warning(text)
    for name, where in opening.fleet.gone.items():
        remedy = f"delete its entry ({where}), or `hostmuster onboard {name}` takes it back"
        record.warning(f"{name} was offboarded and is left out: {remedy}")
    try:
        done, code = _act(opening, record, began)
    except HostmusterError as error:
        record.error(str(error), error.exit_code)
        return error.exit_code
    if record.endings:
        done |= {"ended": [one.document() for one in record.endings]}
    record.result(done, code)
    return code


def _act(opening: Opening, record: Record, began: float) -> Result:
    job = opening.job
    if opening.fleet.lab and job.command != "drill_list" and not job.declared:
        require_up(opening.fleet.name)
    match job.command:
        case "status":
            return _upkeep(status(opening))
        case "unlock":
            return _upkeep(unlock(opening, job.settle))
        case "freeze":
            return _upkeep(freeze(opening))
        case "thaw":
            return _upkeep(thaw(opening))
        case "generations":
            return {"fleet": opening.fleet.name, **generations(opening)}, 0
        case "fleet_kind":
            return {"fleet": opening.fleet.name, "lab": opening.fleet.lab}, 0
        case "report":
            return report(opening, record, began)
        case "rollout":
            named = {"fleet": opening.fleet.name}
            return evidenced(opening, record, "rollout", lambda: named | rollout(opening, record)), 0
        case "preflight":
            return preflight(opening)
        case "replacing":
            return question(opening), 0
        case "rotation" | "revoke":
            turn = _turn(opening)
            what = turn.__name__ if turn is not rotate else job.request or "rotate"
            told = evidenced(opening, record, what, lambda: turn(opening, record))
            return told, 1 if "put_back" in told else 0
        case "drill" | "drill_all" | "soak" | "drill_list":
            return session.held(opening, record)
        case "host_key":
            return _host_key(opening), 0
        case "onboard":
            done = onboard(opening, record, _root_key(opening))
            told = document(opening.fleet.name, [done.outcome], time.monotonic() - began)
            return told | done.document(), done.exit
        case "offboard":
            left = offboard(opening, record)
            told = document(opening.fleet.name, [left.outcome], time.monotonic() - began)
            return told | left.document(), left.exit
        case "departure":
            return departure(opening, record), 0
        case "exposed":
            return _exposed(opening), 0
        case "bootstrap":
            visits = bootstrap(opening, record, _root_key(opening))
        case "check":
            visits = _check(opening, record)
        case "verify":
            visits = _verify(opening, record)
        case "apply":
            visits = _apply(opening, record)
    outcomes = [visit.outcome for visit in visits]
    told, code = document(opening.fleet.name, outcomes, time.monotonic() - began), exit_code(outcomes)
    if job.command != "check":
        return told, code
    found = findings(looked(visits), whole=job.item is None)
    return told | {"findings": [one.document() for one in found]}, code or (2 if found else 0)


def _turn(opening: Opening) -> Callable[[Opening, Record], dict[str, object]]:
    """How a secret that is in use is replaced: in the way of its kind."""
    if opening.job.command == "revoke":
        return revoke
    match way_of(opening):
        case "swap":
            return swap
        case "migrate":
            return migrate
    return rotate


def _exposed(opening: Opening) -> dict[str, object]:
    catalogue = opening.catalogue.hosts
    known = [one.document() for host in opening.hosts for one in exposed(catalogue[host.name], opening.store)]
    return {"fleet": opening.fleet.name, "exposed": known}


def _host_key(opening: Opening) -> dict[str, object]:
    """The keys that hosts present, for whoever asks a person about them."""
    file = opening.project.known_hosts(opening.fleet.name)
    return {"hosts": {host.name: sight(host, file).document() for host in opening.hosts}}


def _upkeep(hosts: Hosts) -> Result:
    return {"hosts": hosts}, 1 if failed(hosts) else 0


def _check(opening: Opening, record: Record) -> list[Visit]:
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


def _verify(opening: Opening, record: Record) -> list[Visit]:
    visits = opening.visits(record, lease=False)
    fleet_run.each(visits, lambda visit: visit.prove(deep=opening.job.deep))
    _close(visits)
    return visits


def _apply(opening: Opening, record: Record) -> list[Visit]:
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


def _root_key(opening: Opening) -> PKey | None:
    """A lab's own root key; on a real fleet root's login is the operator's own business (agent and key files)."""
    if not opening.fleet.lab:
        return None
    return Ed25519Key.from_private_key_file(str(Lab.open(opening.fleet.name).root_key))


def _hidden(opening: Opening) -> list[Secret]:
    hidden = [*opening.store.confidential().values(), *opening.store.credentials()]
    given = filter(None, (opening.job.sudo_password, opening.job.value))
    return [*hidden, *(Secret(one.get_secret_value()) for one in given)]
