"""All replicas of a service stopped, switched and started together: what may not serve side by side (K5, K7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from hostmuster.engine.ending import Runs, asks_end, ended, will_end
from hostmuster.engine.fleet_run import roll
from hostmuster.engine.opening import Opening
from hostmuster.engine.preflight import require_shared
from hostmuster.engine.record import Record
from hostmuster.engine.rendezvous import Rendezvous
from hostmuster.engine.replicas import units_of
from hostmuster.engine.rollout import generation_number, is_left_behind, wanted, whole_fleet
from hostmuster.engine.two_phase import TwoPhase, together
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostFailed, Refused
from hostmuster.onhost.program import line
from hostmuster.resources.committed import HELD
from hostmuster.resources.step import Step
from hostmuster.secrets.generation import Held
from hostmuster.secrets.halting import halted, marks, parsed, ready, started
from hostmuster.secrets.reader import CURRENT

Units = Mapping[str, tuple[str, ...]]


@dataclass
class Outage:
    """What one run does to the replicas of one secret; `units`: by host, the services that read it.

    It only goes forward: a run that is cut off leaves them stopped, over a boot as well, for whoever types it again.
    """

    opening: Opening
    record: Record
    name: str
    units: Units
    visits: Sequence[Visit]
    _since: list[float] = field(default_factory=list)

    def require_nothing_else(self) -> None:
        """Raises Refused where more than this one secret may not serve beside what the hosts have."""
        phases, held = self._phases()
        for visit in self.visits:
            host, before = visit.host.name, held.get(visit.host.name)
            why = phases.generation.obstacle(before, apart_from=self.name) if before else None
            if why and not is_left_behind(visit, held):
                remedy = "end what is open first (secrets.list shows it), or put the store back (git): docs/rotation.md"
                raise Refused(f"the store's state is another one besides: {why}", where=host, remedy=remedy)

    @property
    def digits(self) -> str:
        """What tells the store's value from others, as generations have it."""
        return self._phases()[0].generation.values[self.name]

    def halt(self) -> str:
        """Everything is staged first, so that the outage is no longer than it must be; then all stop together."""
        phases, _ = self._phases()
        phases.stage(self.visits)
        before = {visit.host.name: self._running(visit) for visit in self.visits if visit.host.name in self.units}
        self._on_replicas("halt", lambda visit: halted(self.units[visit.host.name]))
        for visit in self.visits:
            for unit, runs in before.get(visit.host.name, {}).items():
                answers = visit.hold.run(asks_end(unit))
                visit.hold.raise_refusal()
                self.record.ended(ended(visit.host.name, unit, "stopped", runs, answers["ended"]))
        return f"stopped on {', '.join(self.units)}"

    def _running(self, visit: Visit) -> dict[str, Runs]:
        """What its replicas are at; told before any is stopped."""
        runs = visit.services.running_in(self.units[visit.host.name])
        for unit, found in runs.items():
            self.record.phase(visit.host.name, "will", will_end("stop", unit, found))
        return runs

    def switch(self) -> str:
        """The new generation on all hosts at the same moment."""
        phases, held = self._phases()
        phases.stage(self.visits)
        behind = [visit for visit in self.visits if _number(held, visit) != phases.number]
        if behind:
            phases.switch(behind, lambda _visit: phases.number)
        hosts: dict[str, dict[str, object]] = {}
        at = {visit.host.name: _float(visit, "stat", "-c", "%.6Y", CURRENT) for visit in behind}
        for visit in behind:
            before, name = _number(held, visit), visit.host.name
            hosts[name] = {"from": before, "generation": phases.number, "switched_at": at[name]}
        self.record.told |= {"generation": phases.number}
        if at:
            self.record.told |= {"skew_s": round(max(at.values()) - min(at.values()), 6), "hosts": hosts}
        return f"generation {phases.number} on {', '.join(visit.host.name for visit in self.visits)}"

    def start(self) -> str:
        """All start together; the outage is from the first that was stopped to the last that is ready.

        Where one has to be started once more, it goes on since the first was stopped.
        """
        kept = {host: parsed(text) for host, text in self._asked(marks)}
        self._since += [float(mark.split()[0]) for found in kept.values() for mark in found.values()]
        self._on_replicas("start", lambda visit: started(self.units[visit.host.name], kept[visit.host.name]))
        at = [float(word) for _, text in self._asked(ready) for word in text.split()]
        if self._since and len(at) == sum(map(len, self.units.values())):
            self.record.told["outage_s"] = round(max(at) - min(self._since), 3)
        return f"started on {', '.join(self.units)}"

    def settle(self) -> None:
        """Restarts that the generation owes to other services, one after the other. Raises HostFailed."""
        roll([visit for visit in self.visits if visit.debts.owed])
        if lost := [visit for visit in self.visits if not visit.alive]:
            why = "; ".join(f"{visit.host.name}: {visit.outcome.error}" for visit in lost)
            raise HostFailed(f"not every service came back: {why}", remedy="see to that, then: hostmuster apply")

    def _phases(self) -> tuple[TwoPhase, dict[str, Held]]:
        generation, readers = wanted(self.opening)
        seen = {visit.host.name: Held.parse(visit.seen[HELD] or "") if visit.seen else None for visit in self.visits}
        number = generation_number(generation, seen)
        held = {name: one for name, one in seen.items() if one is not None}
        return TwoPhase(generation, number, readers, self.record), held

    def _on_replicas(self, phase: str, steps: Callable[[Visit], list[Step]]) -> None:
        replicas = [visit for visit in self.visits if visit.host.name in self.units]
        for visit in replicas:
            self.record.phase(visit.host.name, phase, " ".join(self.units[visit.host.name]))
        if failed := together(replicas, steps, [Rendezvous(len(replicas))]):
            why = "; ".join(f"{host}: {said}" for host, said in failed.items())
            raise HostFailed(f"not everywhere: {phase}: {why}", remedy="see to that, then the same command again")

    def _asked(self, question: Callable[[Sequence[str]], tuple[str, ...]]) -> Iterator[tuple[str, str]]:
        """By host that has replicas, what it prints."""
        for visit in self.visits:
            if units := self.units.get(visit.host.name):
                answers = visit.hold.run(line("probe", "asked", *question(units)))
                visit.hold.raise_refusal()
                yield visit.host.name, answers["asked"].output


@contextmanager
def outage(opening: Opening, record: Record, name: str) -> Iterator[Outage]:
    """Every host of the fleet in this run's hands. Raises Refused where one cannot be reached, nobody reads
    it, or replicas lack what they must share (K1)."""
    units = {host.name: found for host in opening.hosts if (found := units_of(host, name))}
    if not units:
        raise Refused(
            f"no service is given {name}", where="settings.secrets", remedy="declare readers: docs/rollout.md"
        )
    require_shared(opening)
    with whole_fleet(opening, record) as visits:
        yield Outage(opening, record, name, units, visits)


def _number(held: Mapping[str, Held], visit: Visit) -> int | None:
    one = held.get(visit.host.name)
    return one.number if one else None


def _float(visit: Visit, *ask: str) -> float:
    answers = visit.hold.run(line("probe", "at", *ask))
    visit.hold.raise_refusal()
    return float(answers["at"].output)
