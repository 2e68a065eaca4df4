"""A bare host becomes a member in one go: its key pinned, the automation user made, the checklist applied and proved.

Each part looks at what is there before it acts. So one that was interrupted anywhere goes on where it was when it is
typed again; nothing of it is remembered here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from paramiko import PKey

from hostmuster.engine import fleet_run
from hostmuster.engine.bootstrap import bootstrap
from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.checked import Line
from hostmuster.engine.connection import Connection, connections
from hostmuster.engine.effects import Judged
from hostmuster.engine.host_pin import sight
from hostmuster.engine.members import REFUSED_LOGIN, Others
from hostmuster.engine.opening import Opening
from hostmuster.engine.outcome import HostOutcome, ItemOutcome
from hostmuster.engine.record import Record
from hostmuster.engine.source import Source
from hostmuster.engine.visit import Visit
from hostmuster.item import Effect, Seen
from hostmuster.model.fleet import Host


@dataclass(frozen=True)
class Onboarded:
    """How the host ended, its checklist, and what the members that were there before now differ in."""

    outcome: HostOutcome
    checklist: tuple[Line, ...]
    others: dict[str, list[str]] = field(default_factory=dict)

    @property
    def exit(self) -> int:
        """0 where no line failed; a line that could not be run does not fail the host."""
        return 1 if self.outcome.error or any(line.status == "failed" for line in self.checklist) else 0

    def document(self) -> dict[str, object]:
        """What it adds to the document of an apply."""
        return {"checklist": [line.document() for line in self.checklist], "others": self.others}


def onboard(opening: Opening, record: Record, root_key: PKey | None) -> Onboarded:
    """The one host of the job. Raises Refused for a key that nobody confirmed, or while another run has the host."""
    (host,) = opening.hosts
    _pin(opening, host, record)
    others = Others(opening, host, record)
    record.phase(host.name, "bootstrap")
    (first,) = bootstrap(opening, record, root_key)
    if first.outcome.error or first.outcome.exit == 1:
        return _not_begun(opening, host, first.outcome, record)
    visits = opening.visits(record, lease=True)
    try:
        fleet_run.apply(visits, fleet_run.Batches(), record, saved=None, source=Source(opening.project.root))
    finally:
        for visit in visits:
            visit.close()
    outcome = visits[0].outcome
    outcome.execs += first.outcome.execs
    lines = tuple(_proved(opening, host, outcome, others, record))
    return Onboarded(outcome, lines, others.differences)


def _pin(opening: Opening, host: Host, record: Record) -> None:
    record.phase(host.name, "host key")
    sighting = sight(host, opening.project.known_hosts(opening.fleet.name))
    if sighting.admit(opening.job.fingerprint, replace=opening.job.replace):
        record.phase(host.name, "pinned", str(sighting.key))


def _not_begun(opening: Opening, host: Host, outcome: HostOutcome, record: Record) -> Onboarded:
    error = outcome.error or next((item.reason for item in outcome.items.values() if item.reason), None)
    if error and error.startswith(REFUSED_LOGIN):
        error = f"neither {host.user} nor root may log in there: let your key in as root for the first contact"
    outcome.error = f"bootstrap: {error or 'it failed'}"
    outcome.items.clear()
    lines = tuple(Line.of(part, None, "the host was not bootstrapped") for part in opening.catalogue.hosts[host.name])
    for line in lines:
        record.line(host.name, line)
    return Onboarded(outcome, lines)


def _proved(opening: Opening, host: Host, outcome: HostOutcome, others: Others, record: Record) -> Iterator[Line]:
    """The checklist, a line as soon as its deep effects are proved: one exec a line."""
    ((_, way),) = connections([host], opening.access()).items()
    try:
        for part in opening.catalogue.hosts[host.name]:
            if outcome.error is None and part.item.name in outcome.items:
                _prove(part, way, opening, outcome, others, record)
            line = Line.of(part, outcome.items.get(part.item.name), outcome.error)
            record.line(host.name, line)
            yield line
    finally:
        outcome.execs += way.execs
        way.close()


def _prove(
    part: Compiled, way: Connection, opening: Opening, outcome: HostOutcome, others: Others, record: Record
) -> None:
    own = tuple(effect for effect in part.effects if effect.peer is None or others.is_member(effect.peer))
    visit = Visit((Compiled(part.item, part.text, part.resources, own),), way, None, record, opening.signer)
    fleet_run.each([visit], lambda one: one.prove(deep=True))
    outcome.error = visit.outcome.error
    found = visit.outcome.items.get(part.item.name, ItemOutcome(part.item.name)).effects
    absent = [_awaits(part.item.name, effect) for effect in part.effects if effect not in own]
    outcome.items[part.item.name].prove([*found, *absent])


def _awaits(item: str, effect: Effect) -> Judged:
    seen = f"{effect.peer} is no member yet; when it is: hostmuster verify --deep"
    return Judged(item, effect, Seen(None, seen))
