"""What an operator does to hosts by hand: see how they stand, settle what is open there, freeze them, thaw them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import asdict

import gevent
from gevent.pool import Pool

from hostmuster.engine.connection import Connection, connections
from hostmuster.engine.lease import refusal
from hostmuster.engine.opening import Opening
from hostmuster.errors import HostmusterError
from hostmuster.monitor.checks import STATUS
from hostmuster.monitor.told import OwnChecks
from hostmuster.onhost.answers import Answers, State
from hostmuster.onhost.program import line
from hostmuster.secrets.reader import readers_of

STATUS_S = 15.0
GENERATIONS_S = 5.0
OWN_CHECKS = line("probe", "checks", "sh", "-c", 'date +%s; exec cat -- "$1"', "sh", STATUS)
"""Asks what a host's own checks say; OwnChecks reads the answer."""
SETTLING = {None: (), "revert": ("unlease", "take_back"), "resume": ("unlease", "resume")}

Hosts = dict[str, dict[str, object]]


def status(opening: Opening) -> Hosts:
    """How every host stands, and what its own checks say; one that does not answer says so within STATUS_S seconds."""
    return _each(opening, _standing, OWN_CHECKS, deadline_s=STATUS_S)


def generations(opening: Opening) -> dict[str, object]:
    """`hosts`: the number of each one's generation of secrets; None for one that has none or gives no answer in time.

    `without`: whom each one's was made without; `waits`: why services that read secrets wait, where they do; `read`:
    whether the fleet has anything that reads secrets, so that there is a generation to roll out.
    """
    told = _each(opening, _generation, deadline_s=GENERATIONS_S)
    return {
        "hosts": {name: fields.get("generation") for name, fields in told.items()},
        "without": {name: fields["without"] for name, fields in told.items() if fields.get("without")},
        "waits": {name: fields["waits"] for name, fields in told.items() if fields.get("waits")},
        "read": any(readers_of(host) for host in opening.fleet.hosts.values()),
    }


def unlock(opening: Opening, settle: str | None) -> Hosts:
    """Each host's holder, open change and debts; `settle` ends the lease and resumes or reverts the change."""
    return _each(opening, _shown, *SETTLING[settle])


def freeze(opening: Opening) -> Hosts:
    """Maintenance: until it is thawed every change of the host is refused, with the words given here."""
    since = time.strftime("%Y-%m-%d %H:%M", time.gmtime())
    why = f": {opening.job.reason}" if opening.job.reason else ""
    words = f"by {opening.lease.holder} since {since} UTC{why}"
    # One line, printable: it is a line of the host's state.
    return _each(opening, _shown, line("freeze", *re.sub(r"[^ -~]+", "?", words).split()))


def thaw(opening: Opening) -> Hosts:
    """Maintenance is over."""
    return _each(opening, _shown, "thaw")


def failed(hosts: Hosts) -> bool:
    """Whether any of the hosts could not be asked."""
    return any("error" in fields for fields in hosts.values())


def _each(
    opening: Opening, show: Callable[[Connection, str], dict[str, object]], *acts: str, deadline_s: float | None = None
) -> Hosts:
    ways = connections(opening.hosts, opening.access())
    program = "\n".join([*acts, line("state", "state")])

    def one(way: Connection) -> dict[str, object]:
        try:
            with gevent.Timeout(deadline_s):
                return show(way, program)
        except HostmusterError as error:
            return {"state": "unreachable", "error": error.what}
        except gevent.Timeout:
            return {"state": "unreachable", "error": f"no answer within {deadline_s:g} s"}
        finally:
            way.close()

    return dict(zip(ways, Pool(len(ways)).map(one, ways.values()), strict=True))


def _standing(way: Connection, program: str) -> dict[str, object]:
    answers = way.run(program)
    checks = OwnChecks.parse(answers["checks"].output)
    state = State.parse(answers["state"].output)
    # A release has no writer yet.
    return _fields(way, answers) | {
        "checks": asdict(checks) if checks else None,
        "generation": state.generation,
        "waits": state.waits or None,
        "release": None,
    }


def _generation(way: Connection, program: str) -> dict[str, object]:
    state = State.parse(way.run(program)["state"].output)
    return {"generation": state.generation, "without": list(state.excluded), "waits": state.waits}


def _shown(way: Connection, program: str) -> dict[str, object]:
    return _fields(way, way.run(program))


def _fields(way: Connection, answers: Answers) -> dict[str, object]:
    refused = refusal(way.host.name, answers)
    if refused is not None:
        raise refused
    state = State.parse(answers["state"].output)
    settled = answers.get("settled")
    change = f"change open: {state.change}" if state.change else "at rest"
    shown: dict[str, object] = {
        "state": f"frozen {state.frozen}" if state.frozen else change,
        "holder": f"{state.holder} (run {state.run}, lease for {state.lease_s} s more)" if state.run else None,
        "owed": [f"{debt.action} {debt.unit}" for debt in state.debts],
        "revision": state.revision,
        "applied": state.applied or None,
    }
    if settled is not None and settled.status != 0:
        return shown | {"error": settled.output}
    return shown | ({"settled": settled.output} if settled else {})
