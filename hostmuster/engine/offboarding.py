"""A member leaves its fleet: drained, stopped, forgotten and refused by the others, its secrets and our login removed.

The mark in the pin file is the decision. Each part looks at what is there before it acts, so that one that was
interrupted anywhere goes on where it was when it is typed again.
"""

from __future__ import annotations

from typing import Literal

from hostmuster.engine import fleet_run, leaving
from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.checked import Line
from hostmuster.engine.departure import Departure
from hostmuster.engine.exposure import exposed
from hostmuster.engine.members import REFUSED_LOGIN
from hostmuster.engine.offboarded import Offboarded, member_line
from hostmuster.engine.opening import Opening
from hostmuster.engine.outcome import HostOutcome
from hostmuster.engine.record import Record
from hostmuster.engine.source import Source
from hostmuster.engine.tenure import give_back, take
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostFailed, Refused
from hostmuster.ssh import pin_file
from hostmuster.ssh.known_hosts import name_of

Stands = Literal["here", "gone", "lost", "away"]
"""`gone`: it was brought to its end before; `away`: it does not answer, and nobody said that it is lost."""
_WHY = {
    "gone": "it lets us in no more: that is the last thing taken from it, and what went before was proved then",
    "lost": "the host is lost: what it has it keeps, and everything it knew is to be replaced",
    "away": "it does not answer; type it again when it does, or with --lost",
}


def departure(opening: Opening, record: Record) -> dict[str, object]:
    """What whoever confirms it is to see: whether a typed name is asked for, and what would be stopped (K9)."""
    leave = Departure(opening, record.quiet())
    visit = leave.visit(leaving.service(leave.compiled), lease=False)
    fleet_run.each([visit], Visit.look)
    visit.close()
    stops = [text for part in visit.plan.items for text in part.will]
    return {"hosts": {leave.host.name: {"lab": opening.fleet.lab, "stops": stops, "error": visit.outcome.error}}}


def offboard(opening: Opening, record: Record) -> Offboarded:
    """The one host of the job. Raises Refused, nothing touched, for one that may not leave, or not now."""
    _require_allowed(opening)
    leave = Departure(opening, record)
    stands = _stands(leave)
    done = Offboarded(HostOutcome(leave.host.name), exposed(leave.compiled, opening.store))
    run = _Run(leave, done, record)
    try:
        run.through(stands)
    except Refused as error:
        # Not before anything was touched any more.
        raise HostFailed(error.what, where=error.where, remedy=error.remedy) from None
    return done


def _require_allowed(opening: Opening) -> None:
    (host,), fleet, job = opening.hosts, opening.fleet, opening.job
    pins = pin_file.read(opening.project.known_hosts(fleet.name))
    members = [one for one in fleet.hosts.values() if pins.keys(name_of(one.address, one.port)) and one is not host]
    if len(fleet.hosts) == 1:
        raise Refused("it is the only host of its fleet", where=host.name, remedy="a fleet of none is no fleet")
    if host.name not in pins.gone and not pins.keys(name_of(host.address, host.port)):
        raise Refused("it was never taken in: no host key is pinned", where=host.name, remedy="delete its entry")
    for role in host.roles:
        if not any(role in member.roles for member in members):
            remedy = f"onboard another host with the role {role} first"
            raise Refused(f"no other member has its role {role}", where=host.name, remedy=remedy)
    if not fleet.lab and job.confirm != host.name:
        what = "it is no lab, so the host's name is to be typed"
        raise Refused(what, where=host.name, remedy=f"at a terminal, or with --confirm {host.name}")


def _stands(leave: Departure) -> Stands:
    """Looks at the host, and holds all hosts together once: whoever is at work on one of them goes first."""
    job, host = leave.opening.job, leave.host
    own = leave.visit(leaving.service(leave.compiled), lease=False, quiet=True)
    fleet_run.each([own], Visit.look)
    own.close()
    error = own.outcome.error
    if job.lost and error is None:
        raise Refused("it answers, so it is not lost", where=host.name, remedy="offboard it without --lost")
    if error is not None and leave.is_marked and error.startswith(REFUSED_LOGIN):
        return "gone"
    if error is not None and not leave.is_marked and not job.lost:
        remedy = f"bring it back; or, if it is lost for good: hostmuster offboard {host.name} --lost"
        raise Refused(f"it cannot be looked at ({error})", where=host.name, remedy=remedy)
    change = own.state.change if own.state else ""
    if change and change.split(" ")[-1] not in leaving.NAMES:
        remedy = f"see `hostmuster unlock {host.name}`"
        raise Refused(f"a change is open there ({change})", where=host.name, remedy=remedy)
    held = [*leave.visits(), *([] if error else [leave.visit(leaving.service(leave.compiled))])]
    take(held)
    give_back(held)
    for visit in held:
        visit.close()
    if error is not None:
        return "lost" if job.lost else "away"
    stops = [text for part in own.plan.items for text in part.will]
    leave.record.phase(host.name, "will", "; ".join(stops) or "stop nothing")
    return "here"


class _Run:
    """The parts in their order, each told as soon as it is done."""

    def __init__(self, leave: Departure, done: Offboarded, record: Record) -> None:
        self._leave, self._done, self._record = leave, done, record
        self._source = Source(leave.opening.project.root)

    def through(self, stands: Stands) -> None:
        """All of it. What serves stops first; nothing else is done where it does not."""
        leave, compiled = self._leave, self._leave.compiled
        own = stands == "here"
        if own and not self._bring(leaving.service(compiled)):
            self._done.outcome.error = (
                self._done.outcome.error or "what serves there did not stop; nothing else was done"
            )
            return
        leave.mark()
        self._members()
        if not own:
            self._not_there(stands)
            return
        self._bring(leaving.refused(compiled, leave.members), deep=True)
        if self._bring(leaving.secrets(compiled, leave.values)):
            self._last()

    def _bring(self, part: Compiled, *, deep: bool = False) -> bool:
        """Applies and proves one part on the host itself. Whether it holds."""
        visit = self._leave.visit(part)
        fleet_run.apply([visit], fleet_run.Batches(), self._record, saved=None, source=None)
        if deep:
            fleet_run.each([visit], lambda one: one.prove(deep=True))
            give_back([visit])
        visit.close()
        return self._told(part, visit.outcome)

    def _told(self, part: Compiled, outcome: HostOutcome) -> bool:
        done = self._done.outcome
        done.execs += outcome.execs
        done.error = done.error or outcome.error
        found = outcome.items.get(part.item.name)
        done.items |= {part.item.name: found} if found else {}
        return self._tell(Line.of(part, found, outcome.error))

    def _tell(self, line: Line) -> bool:
        self._done.lines.append(line)
        self._record.line(self._leave.host.name, line)
        return line.status == "ok"

    def _members(self) -> None:
        visits = self._leave.visits()
        fleet_run.apply(visits, fleet_run.Batches(), self._record, saved=None, source=self._source)
        for visit in visits:
            visit.close()
            self._tell(member_line(visit, self._leave.host.name))

    def _last(self) -> None:
        """Our login goes, and the lease with it; then it is tried."""
        part = leaving.login(self._leave.host)
        visit = self._leave.visit(part)
        fleet_run.each([visit], Visit.look)
        fleet_run.each([visit], Visit.change_for_good)
        visit.close()
        again = self._leave.visit(part, lease=False, quiet=True)
        fleet_run.each([again], Visit.look)
        again.close()
        outcome = visit.outcome
        if outcome.error is None and (again.outcome.error or "").startswith(REFUSED_LOGIN):
            self._tell(Line(part.item.name, part.text, "ok", ("our login is refused",)))
        else:
            seen = outcome.error or again.outcome.error or "it still lets us in"
            self._done.outcome.error = self._done.outcome.error or seen
            self._tell(Line(part.item.name, part.text, "failed", (seen,)))

    def _not_there(self, stands: Stands) -> None:
        if stands == "away":
            self._done.outcome.error = _WHY[stands]
        for item, text in leaving.TEXTS.items():
            status: Literal["ok", "not_run"] = "ok" if (stands, item) == ("gone", leaving.LOGIN) else "not_run"
            self._tell(Line(item.name, text, status, (_WHY[stands],)))
