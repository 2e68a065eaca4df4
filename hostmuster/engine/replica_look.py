"""What replicas hold and run with, and whether they reach one storage and one Redis.

Three execs a host at the most, and one more where its process verifies the others' tokens.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gevent.pool import Pool

from hostmuster.engine.automation import AUTOMATION_KEY
from hostmuster.engine.connection import Connection, connections
from hostmuster.engine.opening import Opening
from hostmuster.engine.verification import verdicts
from hostmuster.errors import HostmusterError
from hostmuster.onhost.answers import Answers
from hostmuster.onhost.program import line
from hostmuster.secrets.generation import IDENTITY, Held, of_store
from hostmuster.secrets.issuer import served
from hostmuster.secrets.preflight import observed, running, tokens
from hostmuster.secrets.preflight.crowd import Crowd
from hostmuster.secrets.preflight.finding import KINDS, Finding, Line
from hostmuster.secrets.preflight.mark import Verb
from hostmuster.secrets.preflight.observed import LEFT_OUT, Looked, Wanted
from hostmuster.secrets.preflight.process import Process, question, salted
from hostmuster.secrets.preflight.tokens import Verdicts
from hostmuster.secrets.reader import CURRENT, issuers_of, readers_of
from hostmuster.secrets.reference import text_of

LINES: tuple[Line, ...] = (*KINDS, "object storage", "Redis")
AGREES = "its process has what the generation and the fleet file say, and the others have"


@dataclass
class ReplicaLook:
    """One run's look at the hosts of all crowds. Nothing but marks is written, and they go again."""

    opening: Opening
    crowds: Sequence[Crowd]
    salt: str = field(default_factory=lambda: secrets.token_hex(16))
    execs: dict[str, int] = field(default_factory=dict)
    verdicts: dict[str, Verdicts] = field(default_factory=dict)
    """By ring."""

    def findings(self) -> list[Finding]:
        """Every line of the table, by replica."""
        asked = {host for crowd in self.crowds for host in crowd.units}
        ways = connections([host for host in self.opening.hosts if host.name in asked], self.opening.access())
        wanted = self._wanted()
        lost: dict[str, str] = {}
        try:
            put, lost = self._all(ways, lambda host: self._first(host, wanted))
            looked = {host: self._looked(host, put.get(host), lost, wanted) for host in asked}
            for ring in dict.fromkeys(ring for crowd in self.crowds for ring in crowd.signers):
                served = {host: one.served[ring] for host, one in looked.items() if ring in one.served}
                self.verdicts[ring] = verdicts(ring, ways, served)
            seen, _ = self._all({host: ways[host] for host in put}, lambda host: self._marks("see", host))
        finally:
            reached = {host: way for host, way in ways.items() if host not in lost}
            self._all(reached, lambda host: self._marks("take", host))
            self.execs = {host: way.execs for host, way in ways.items()}
            for way in ways.values():
                way.close()
        of_each = (self._of(at, crowd, looked, wanted, put, seen) for at, crowd in enumerate(self.crowds))
        return [found for one in of_each for found in one]

    def _wanted(self) -> Wanted:
        readers = {host.name: readers_of(host) for host in self.opening.fleet.hosts.values()}
        some = any(one for one in readers.values())
        generation = of_store(self.opening.store, readers, AUTOMATION_KEY) if some else None
        references = {reading.reference for crowd in self.crowds for reading in crowd.readings}
        given = {reference: text_of(self.opening.store, reference).encode() for reference in references}
        return Wanted(generation, given, lambda content: salted(self.salt, content))

    def _all(
        self, ways: Mapping[str, Connection], asked: Callable[[str], list[str]]
    ) -> tuple[dict[str, Answers], dict[str, str]]:
        """The answers by host, and why there are none. No exec where nothing is to be asked."""
        answers: dict[str, Answers] = {}
        lost: dict[str, str] = {}

        def one(host: str) -> None:
            if program := asked(host):
                try:
                    answers[host] = ways[host].run("\n".join(program))
                except HostmusterError as error:
                    lost[host] = error.what

        Pool(max(len(ways), 1)).map(one, list(ways))
        return answers, lost

    def _first(self, host: str, wanted: Wanted) -> list[str]:
        program = [line("probe", "held", "cat", f"{CURRENT}/{IDENTITY}")]
        if files := self._files(host, wanted):
            program.append(line("digest", "files", self.salt, *files))
        for unit, names in self._units(host).items():
            program.append(line("probe", f"process:{unit}", *question(unit, self.salt, *names)))
        declared = self.opening.fleet.hosts[host]
        for ring in self._rings(host):
            program.append(line("probe", f"served:{ring}", *issuers_of(declared)[ring].question(declared)))
        return [*program, *self._marks("put", host)]

    def _marks(self, verb: Verb, host: str) -> list[str]:
        return [
            line("probe", f"mark:{at}:{of}", *marks.asks[host](verb, host, marks.others(host)))
            for at, crowd in enumerate(self.crowds)
            for of, marks in enumerate(crowd.marks)
            if host in marks.asks
        ]

    def _files(self, host: str, wanted: Wanted) -> dict[str, str]:
        paths = wanted.generation.files.get(host, {}) if wanted.generation else {}
        return {f"{CURRENT}/{path}": path for path in paths}

    def _units(self, host: str) -> dict[str, list[str]]:
        units = {unit: list[str]() for crowd in self.crowds for unit in crowd.units.get(host, ())}
        for reading in (reading for crowd in self.crowds for reading in crowd.readings if reading.host == host):
            units[reading.unit] += [reading.name] if reading.way == "value" else []
        return units

    def _rings(self, host: str) -> list[str]:
        return list(dict.fromkeys(ring for crowd in self.crowds for ring, on in crowd.signers.items() if host in on))

    def _looked(self, host: str, answers: Answers | None, lost: Mapping[str, str], wanted: Wanted) -> Looked:
        if answers is None:
            return Looked(host, lost=lost.get(host, LEFT_OUT))
        held = answers["held"]
        paths = self._files(host, wanted)
        told = answers["files"].output.splitlines() if paths else []
        digests = {paths[path]: digest for digest, _, path in (one.partition("  ") for one in told) if path in paths}
        return Looked(
            host,
            held=Held.parse(held.output) if held.status == 0 else None,
            files=digests,
            processes={unit: Process.parse(answers[f"process:{unit}"]) for unit in self._units(host)},
            served={ring: served(answers[f"served:{ring}"]) for ring in self._rings(host)},
        )

    def _of(
        self,
        at: int,
        crowd: Crowd,
        looked: Mapping[str, Looked],
        wanted: Wanted,
        put: Mapping[str, Answers],
        seen: Mapping[str, Answers],
    ) -> Iterator[Finding]:
        found = [
            *observed.holdings(crowd.name, crowd.units, looked, wanted),
            *running.given(crowd.name, crowd.readings, looked, wanted),
            *running.declared(crowd.name, crowd.replicas, looked, wanted),
            *running.by_hand(crowd.name, crowd.replicas, looked, wanted),
        ]
        for ring, units in crowd.signers.items():
            found += tokens.signed(crowd.name, ring, units, looked, self.verdicts[ring])
        for of, marks in enumerate(crowd.marks):
            name = f"mark:{at}:{of}"
            first = {host: answers[name] for host, answers in put.items() if host in marks.asks}
            then = {host: answers[name] for host, answers in seen.items() if host in marks.asks}
            found += marks.found(first, then)
        if crowd.uses_s3:
            said = "S3: equal S3_* everywhere; whether it answers is not asked"
            found.append(Finding("object storage", crowd.name, said, looked_at=False))
        yield from found
        yield from _agreed(crowd, looked, found)


def _agreed(crowd: Crowd, looked: Mapping[str, Looked], found: Sequence[Finding]) -> Iterator[Finding]:
    """What was looked at and found as it should be."""
    told = {(one.line, one.host) for one in found}
    for one in crowd.replicas:
        processes = [looked[one.host].processes.get(unit) for unit in one.units]
        if not processes or not all(process and process.running for process in processes):
            continue
        for name in LINES:
            if (name, one.host) not in told:
                yield Finding(name, crowd.name, AGREES, host=one.host)
        if ("replicas", one.host) not in told:
            yield Finding("replicas", crowd.name, "it runs, started with the generation that all have", host=one.host)
