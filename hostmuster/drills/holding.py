"""One drill from its first look to its evidence: steady state, faults under a client, steady state again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import gevent

from hostmuster.drills.child import Probe
from hostmuster.drills.counting import account, effects_twice
from hostmuster.drills.drill import Drill
from hostmuster.drills.evidence import BeforeAfter, Evidence, Happened, Numbers
from hostmuster.drills.faults.fault import Cause, Ground, NoGround
from hostmuster.drills.ground import causes, ground, require_alone, require_confirmed
from hostmuster.drills.judging import broken, verdict
from hostmuster.drills.killing import Killing
from hostmuster.drills.load import Load, Measured
from hostmuster.drills.running import Running
from hostmuster.drills.scene import Scene
from hostmuster.drills.sheet import Sheet, begun
from hostmuster.drills.steady import leftovers, one_owner, owner, steady
from hostmuster.engine.opening import Opening
from hostmuster.engine.record import Record
from hostmuster.engine.rollout import whole_fleet
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostmusterError, Refused

BEGIN_S = 20.0
"""So long a client may take until its first answer."""
WARM_S = 2.0
QUIET_S = 2.0
"""Of load before the first fault and after the last one."""
PACKAGES = "docker.io docker-ce nginx haproxy keepalived chrony postgresql-15 postgresql-17 systemd python3"
VERSIONS = (
    f"dpkg-query -W -f '${{binary:Package}} ${{Version}}\\n' {PACKAGES} 2>/dev/null; echo linux $(uname -r); "
    "echo debian $(cat /etc/debian_version)"
)


Faults = Callable[["Sheet", Scene, Load], Iterator[Happened]]
"""What is done under the client, one after the other."""


def hold(opening: Opening, record: Record, drill: Drill) -> Evidence:
    """The drill, on the job's target. Raises Refused, nothing touched; what fails after that is in the evidence."""
    host = opening.job.target or (owner(opening) if drill.owner else None)
    sheet = Sheet(opening, record, drill, begun(opening, drill, host))
    try:
        where = ground(drill, opening.fleet, host)
        found, sheet.evidence.not_run = causes(drill, where)
    except NoGround as why:
        sheet.evidence.verdict, sheet.evidence.not_run = "not_run", [str(why)]
        sheet.write()
        return sheet.evidence
    require_confirmed(where, opening.job.confirm, all_of_them=opening.job.command == "drill_all")
    require_alone(drill, where, opening)
    if drill.kills and opening.job.pause is None:
        # The runs that are killed take the leases.
        visits = opening.visits(record, lease=False)
        return held(sheet, where, visits, partial(_killed, found=found))
    chosen = found if opening.job.fault is None else found[opening.job.fault : opening.job.fault + 1]
    with whole_fleet(opening, record) as visits:
        return held(sheet, where, visits, partial(_one_by_one, found=chosen))


def _killed(sheet: Sheet, scene: Scene, _load: Load, *, found: Sequence[Cause]) -> Iterator[Happened]:
    killing = Killing(sheet.opening, sheet.record, scene)
    for number, cause in enumerate(found):
        yield from killing.at_every_step(number, cause)
    killing.let_go()


def _one_by_one(sheet: Sheet, scene: Scene, _load: Load, *, found: Sequence[Cause]) -> Iterator[Happened]:
    running = Running(sheet.opening, sheet.record, sheet.drill, scene, sheet.at)
    for cause in found:
        yield running.cause(cause)


def _watch(where: Ground) -> Probe:
    hosts, drilling = where.fleet.hosts.values(), where.drilling
    words = []
    for host in hosts:
        service = next((drilling.services[role] for role in host.roles if role in drilling.services), None)
        if service is not None and service.ready:
            words.append(f"{host.name}={service.ready.replace('{address}', host.address)}")
    if drilling.client.tasks:
        port = drilling.client.port
        for host in where.fleet.with_role("server"):
            words += ["--depth", f"http://{host.address}:{port}{drilling.client.tasks}"]
    return Probe("watch", words)


def held(sheet: Sheet, where: Ground, visits: Sequence[Visit], faults: Faults) -> Evidence:
    """From the first steady state to the evidence. Raises Refused where the fleet is not steady, nothing touched."""
    sheet.evidence.host = where.target.name
    scene = Scene(where, {visit.host.name: visit for visit in visits}, _watch(where))
    try:
        gevent.sleep(WARM_S / 2)
        sheet.scene = scene
        _require_steady(sheet, scene)
        sheet.at("looked")
        with _accounted(sheet, scene) as load:
            # One by one: what is known stays known where the next one fails.
            for happened in faults(sheet, scene, load):
                sheet.evidence.fault.append(happened)
                if happened.stopped:
                    break
        _prove(sheet, scene)
        sheet.at("proved")
        sheet.evidence.verdict = verdict(sheet.evidence)
    except Refused:
        sheet.scene = None
        raise
    except HostmusterError as error:
        sheet.evidence.not_run.append(f"the rest, since it failed: {error}")
    finally:
        scene.watch.end()
        if sheet.scene is not None:
            sheet.write()
    for why in broken(sheet.evidence):
        sheet.record.warning(f"{sheet.drill.name}: {why}")
    return sheet.evidence


def _require_steady(sheet: Sheet, scene: Scene) -> None:
    before = steady(sheet.opening, scene, sheet.record)
    sheet.evidence.steady_state = BeforeAfter(before=before)
    backups = _stale_backups(scene)
    left = [f"{one.name}: {one.seen}" for one in leftovers(scene.visits.values()) if one.ok is False]
    if wrong := [*before.failed, *backups, *left]:
        remedy = "hostmuster verify shows it; a drill is for a fleet on which all holds"
        raise Refused(f"the fleet is not steady: {'; '.join(wrong)}", where=sheet.evidence.host, remedy=remedy)
    said = scene.ask(sheet.evidence.host, "sh", "-c", VERSIONS).output
    sheet.evidence.versions |= dict(line.split(None, 1) for line in said.splitlines() if " " in line.strip())


def _stale_backups(scene: Scene) -> Iterator[str]:
    """Backups that the fleet declares, and whose own check fails; nothing where it declares none."""
    for host in scene.ground.fleet.hosts.values():
        checks = scene.own_checks(host.name)
        for name, why in (checks.failed if checks else {}).items():
            if name.startswith("backup"):
                yield f"{host.name}: {name}: {why}"


@contextmanager
def _accounted(sheet: Sheet, scene: Scene) -> Iterator[Load]:
    """Under the client, from before the first fault until after the last; whatever becomes of the drill, it ends."""
    sheet.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    load = Load(sheet.opening.fleet, sheet.opening.project, sheet.folder)
    if sheet.opening.job.pause is not None:
        # It is killed before it could tell.
        yield load
        return
    twice = effects_twice(scene) or 0
    try:
        load.start()
        end = time.monotonic() + BEGIN_S
        while not load.begun() and time.monotonic() < end:
            gevent.sleep(0.1)
        gevent.sleep(WARM_S)
        yield load
        gevent.sleep(QUIET_S)
    finally:
        sheet.measured = load.stop()
        sheet.evidence.measured = _numbers(sheet, scene, load, sheet.measured, twice)


def _numbers(sheet: Sheet, scene: Scene, load: Load, measured: Measured, twice: int) -> Numbers:
    numbers = Numbers(
        outage_s=measured.outage_s, sampling_s=round(measured.sampling_s, 3), failed=dict(measured.failed)
    )
    acknowledged = list(load.acknowledgements())
    if not scene.ground.drilling.client.post:
        sheet.evidence.not_run.append("acknowledged, lost and duplicated: the fleet declares nothing to POST")
        return numbers
    counted = account(scene, acknowledged, twice)
    numbers.acknowledged = len({one for _, one in acknowledged})
    numbers.lost, numbers.duplicated = counted.lost, counted.duplicated
    sheet.evidence.not_run += counted.not_run
    return numbers


def _prove(sheet: Sheet, scene: Scene) -> None:
    evidence = sheet.evidence
    evidence.steady_state.after = steady(sheet.opening, scene, sheet.record)
    evidence.cleanup = [*leftovers(scene.visits.values()), *one_owner(scene)]
    evidence.not_run += [
        f"{one.what}: {shown.name}: {shown.seen}" for one in evidence.fault for shown in one.seen if shown.ok is None
    ]
