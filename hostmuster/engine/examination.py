"""Everything known of the hosts, in one exec each: how they differ, what holds there, what they have not alike."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime

from hostmuster.engine import effects, fleet_run
from hostmuster.engine.checklist import checklist
from hostmuster.engine.connection import Connection, connections
from hostmuster.engine.finding import findings, looked
from hostmuster.engine.opening import Opening
from hostmuster.engine.outcome import document, exit_code
from hostmuster.engine.record import Record
from hostmuster.engine.source import Source
from hostmuster.engine.upkeep import OWN_CHECKS
from hostmuster.engine.visit import Visit
from hostmuster.monitor.told import OwnChecks
from hostmuster.onhost.answers import State
from hostmuster.onhost.program import line
from hostmuster.report import page
from hostmuster.report.document import Report
from hostmuster.report.evidence import drills, rotations


class Examination(Visit):
    """A visit that looks and proves at once, since nothing is changed between the two."""

    def __init__(self, opening: Opening, connection: Connection, record: Record) -> None:
        parts = opening.catalogue.hosts[connection.host.name]
        super().__init__(parts, connection, None, record, opening.signer, compared=True)
        self._deep = opening.job.deep
        self.checks: OwnChecks | None = None

    def look(self) -> None:
        """One exec; effects that do not hold yet are asked again until their deadline."""
        self._record.phase(self.host.name, "examine")
        asked = effects.wanted(self._compiled, deep=self._deep)
        answers = self.hold.run(OWN_CHECKS, line("state", "state"), self._survey.program, effects.program(asked))
        self._take_in(answers)
        if self.hold.refused is None:
            self.checks = OwnChecks.parse(answers["checks"].output)
            self._proved(effects.settle(self.hold.connection, effects.judge(asked, answers)))


def report(opening: Opening, record: Record, began: float) -> tuple[dict[str, object], int]:
    """Looks at the hosts, writes the page, and gives the document that it was made from.

    Exit codes as verify's and check's; a host whose own checks fail has failed, too.
    """
    source = Source(opening.project.root)
    visits = [Examination(opening, way, record) for way in connections(opening.hosts, opening.access()).values()]
    try:
        fleet_run.look(visits, lambda visit: visit.look())
    finally:
        for visit in visits:
            visit.close()
    outcomes = [visit.outcome for visit in visits]
    found = findings(looked(visits))
    told = document(opening.fleet.name, outcomes, time.monotonic() - began)
    told |= {
        "revision": source.revision,
        "made": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "checklist": dict(_checklist(opening)),
        "hosts": {visit.host.name: _host(visit) for visit in visits},
        "findings": [one.document() for one in found],
        "drills": [one.model_dump() for one in drills(opening.project.reports, opening.fleet.hosts)],
        "rotations": [one.model_dump(by_alias=True) for one in rotations(opening.project.reports, opening.fleet.name)],
    }
    shown = Report.model_validate_json(record.redacted(told))
    path = opening.job.out or opening.project.reports / opening.fleet.name / "report.html"
    page.write(path, page.render(shown))
    complaints = [f"{name}: {what}: {seen}" for name, host in shown.hosts.items() for what, seen in host.complaints]
    for text in complaints:
        record.warning(text)
    return told | {"page": str(path)}, 1 if complaints else exit_code(outcomes) or (2 if found else 0)


def _checklist(opening: Opening) -> Iterator[tuple[str, str]]:
    """Each item that any of the hosts has, with its text, in the order of the checklist."""
    texts = {part.item.name: part.text for host in opening.hosts for part in opening.catalogue.hosts[host.name]}
    names = (module.ITEM.name for module in checklist(opening.project))
    return ((name, texts[name]) for name in names if name in texts)


def _host(visit: Examination) -> dict[str, object]:
    host = visit.host
    declared = {"address": host.address, "debian": host.debian, "roles": list(host.roles)}
    own = {"checks": asdict(visit.checks) if visit.checks else None}
    return visit.outcome.document() | declared | own | {"state": dict(_state(visit.state)) if visit.state else {}}


def _state(state: State) -> Sequence[tuple[str, str]]:
    words = [
        ("state", f"frozen {state.frozen}" if state.frozen else ""),
        ("change open", state.change),
        ("holder", f"{state.holder} (run {state.run})" if state.run else ""),
        ("owed", ", ".join(f"{debt.action} {debt.unit}" for debt in state.debts)),
        ("revision", str(state.revision)),
        ("applied", state.applied),
    ]
    return [(word, text) for word, text in words if text]
