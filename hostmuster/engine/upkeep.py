"""What an operator does to hosts by hand: see how they stand, settle what is open there, freeze them, thaw them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from gevent.pool import Pool

from hostmuster.engine.connection import Connection, connections
from hostmuster.engine.lease import refusal
from hostmuster.engine.opening import Opening
from hostmuster.errors import HostmusterError
from hostmuster.onhost.answers import State
from hostmuster.onhost.program import line

SETTLING = {None: (), "revert": ("unlease", "take_back"), "resume": ("unlease", "resume")}

Hosts = dict[str, dict[str, object]]


def status(opening: Opening) -> Hosts:
    """How every host stands; one that cannot be reached says so, within the connection's own deadline."""
    return _each(opening, _shown)


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


def _each(opening: Opening, show: Callable[[Connection, str], dict[str, object]], *acts: str) -> Hosts:
    ways = connections(opening.hosts, opening.access())
    program = "\n".join([*acts, line("state", "state")])

    def one(way: Connection) -> dict[str, object]:
        try:
            return show(way, program)
        except HostmusterError as error:
            return {"state": "unreachable", "error": error.what}
        finally:
            way.close()

    return dict(zip(ways, Pool(len(ways)).map(one, ways.values()), strict=True))


def _shown(way: Connection, program: str) -> dict[str, object]:
    answers = way.run(program)
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
