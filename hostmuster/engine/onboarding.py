"""A bare host becomes a member in one go: its key pinned, the automation user made, the checklist applied and proved.

Each part looks at what is there before it acts. So one that was interrupted anywhere goes on where it was when it is
typed again; nothing of it is remembered here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from paramiko import PKey

from hostmuster.engine import fleet_run
from hostmuster.engine.bootstrap import bootstrap
from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.checked import Line
from hostmuster.engine.connection import connections
from hostmuster.engine.gate import Gate
from hostmuster.engine.host_pin import sight
from hostmuster.engine.members import REFUSED_LOGIN, Others
from hostmuster.engine.opening import Opening
from hostmuster.engine.outcome import HostOutcome
from hostmuster.engine.preflight import require_shared, require_shared_to_start, units_on
from hostmuster.engine.record import Record
from hostmuster.engine.rollout import join
from hostmuster.engine.source import Source
from hostmuster.engine.visit import Visit
from hostmuster.model.fleet import Host
from hostmuster.secrets.reader import readers_of


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
    """The one host of the job.

    Raises Refused for a key that nobody confirmed, without git, or while another run has the host.
    """
    (host,) = opening.hosts
    require_shared(opening, units_on(opening, host))
    source = Source(opening.project.root)
    _pin(opening, host, record)
    others = Others(opening, host, record)
    record.phase(host.name, "bootstrap")
    (first,) = bootstrap(opening, record, root_key)
    if first.outcome.error or first.outcome.exit == 1:
        return _not_begun(opening, host, first.outcome, record)
    if readers_of(host):
        join(opening, host, others.held, record)
    parts = tuple(others.for_now(part) for part in opening.catalogue.hosts[host.name])
    ((_, way),) = connections([host], opening.access()).items()
    visit = Visit(parts, way, opening.lease, record, opening.signer, gate=Gate(parts, host, deep=True))
    try:
        admit = partial(require_shared_to_start, opening)
        fleet_run.apply([visit], fleet_run.Batches(), record, saved=None, source=source, admit=admit)
        visit.close()
        lines = tuple(_proved(opening, parts, visit, record))
    finally:
        visit.close()
    visit.outcome.execs += first.outcome.execs
    return Onboarded(visit.outcome, lines, others.differences)


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


def _proved(opening: Opening, parts: Iterable[Compiled], applied: Visit, record: Record) -> Iterator[Line]:
    """The checklist, a line as soon as its deep effects are proved: one exec a line."""
    outcome = applied.outcome
    for part in parts:
        if outcome.error is None and part.item.name in outcome.items:
            proof = Visit((part,), applied.hold.connection, None, record, opening.signer, gate=applied.gate)
            fleet_run.each([proof], lambda one: one.prove(deep=True))
            outcome.error = proof.outcome.error
            found = proof.outcome.items.get(part.item.name)
            outcome.items[part.item.name].prove(found.effects if found else [])
        line = Line.of(part, outcome.items.get(part.item.name), outcome.error)
        record.line(outcome.host, line)
        yield line
