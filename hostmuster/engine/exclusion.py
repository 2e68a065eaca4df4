"""Hosts that a change of secrets is made without, since they are down: `--exclude` (DESIGN.md, "Secrets")."""

from __future__ import annotations

from typing import Final

from gevent import socket

from hostmuster.engine.opening import Opening
from hostmuster.engine.visit import Visit
from hostmuster.errors import Refused
from hostmuster.model.fleet import Host
from hostmuster.onhost.program import line
from hostmuster.secrets.start_gate import SERVES_NOTHING

SILENCE_S: Final = 5.0


def require_silent(opening: Opening) -> None:
    """Raises Refused for a host that is left out though it answers, and where that was not typed.

    Whoever answers may serve, and would go on with what the others no longer have. What is said of a silent one holds
    as long as it is silent; when it comes back its start gate keeps it from serving until it caught up.
    """
    job = opening.job
    named = ",".join(job.exclude)
    if not job.exclude:
        return
    if not opening.hosts:
        raise Refused("no host is left", where="--exclude", remedy="one at least has to serve")
    if not opening.fleet.lab and job.confirm_exclude != named:
        what = "it is no lab, and who is left out must not serve, so its name is to be typed"
        raise Refused(what, where=f"--exclude {named}", remedy=f"at a terminal, or with --confirm-exclude {named}")
    for name in job.exclude:
        if answers(opening.fleet.hosts[name]):
            what = "it answers, and would go on serving what the others no longer have"
            raise Refused(what, where=name, remedy="shut it down first; or leave out --exclude, and it gets it, too")


def answers(host: Host) -> bool:
    """Whether anything does at the host's SSH port; that it refuses is an answer, too."""
    try:
        socket.create_connection((host.address, host.port), timeout=SILENCE_S).close()
    except ConnectionRefusedError:
        return True
    except OSError:
        return False
    return True


def serves_nothing(visit: Visit, units: tuple[str, ...]) -> bool:
    """Whether its start gate keeps these services from starting, and none of them runs."""
    told = visit.hold.run(line("probe", "still", "sh", "-c", SERVES_NOTHING, "sh", *units))
    visit.hold.raise_refusal()
    return told["still"].status == 0
