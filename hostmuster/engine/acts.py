"""What each command does, and the document and exit code that it ends with."""

from __future__ import annotations

import time
from collections.abc import Callable

from paramiko import Ed25519Key, PKey

from hostmuster.drills import session
from hostmuster.engine.bootstrap import bootstrap
from hostmuster.engine.evidence import evidenced
from hostmuster.engine.examination import report
from hostmuster.engine.exposure import exposed
from hostmuster.engine.finding import findings, looked
from hostmuster.engine.host_pin import sight
from hostmuster.engine.migrating import migrate
from hostmuster.engine.muster import apply, check, verify
from hostmuster.engine.offboarding import departure, offboard
from hostmuster.engine.onboarding import onboard
from hostmuster.engine.opening import Opening
from hostmuster.engine.outcome import document, exit_code
from hostmuster.engine.preflight import preflight
from hostmuster.engine.record import Record
from hostmuster.engine.removal import references
from hostmuster.engine.replacing import question, way_of
from hostmuster.engine.revoking import revoke
from hostmuster.engine.rollout import rollout
from hostmuster.engine.rotation import rotate
from hostmuster.engine.swapping import swap
from hostmuster.engine.upkeep import Hosts, failed, freeze, generations, status, thaw, unlock
from hostmuster.engine.visit import Visit
from hostmuster.lab.lab import Lab
from hostmuster.lab.of_fleet import require_up

Result = tuple[dict[str, object], int]


def act(opening: Opening, record: Record, began: float) -> Result:
    """Does what the job says, and gives its document and exit code. Raises HostmusterError.

    `began`: by the monotonic clock, in seconds.
    """
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
        case "references":
            return {"fleet": opening.fleet.name, "references": references(opening, job.secret or "")}, 0
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
            return _by_host(opening, bootstrap(opening, record, _root_key(opening)), began)
        case "check":
            return _compared(opening, check(opening, record), began)
        case "verify":
            return _by_host(opening, verify(opening, record), began)
        case "apply":
            return _by_host(opening, apply(opening, record), began)


def _by_host(opening: Opening, visits: list[Visit], began: float) -> Result:
    outcomes = [visit.outcome for visit in visits]
    return document(opening.fleet.name, outcomes, time.monotonic() - began), exit_code(outcomes)


def _compared(opening: Opening, visits: list[Visit], began: float) -> Result:
    """Beside how each host stands, what the hosts have not alike."""
    told, code = _by_host(opening, visits, began)
    found = findings(looked(visits), whole=opening.job.item is None)
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


def _root_key(opening: Opening) -> PKey | None:
    """A lab's own root key; on a real fleet root's login is the operator's own business (agent and key files)."""
    if not opening.fleet.lab:
        return None
    return Ed25519Key.from_private_key_file(str(Lab.open(opening.fleet.name).root_key))
