"""A generation of secrets on its way to hosts: staged and verified on all, then switched on all at the same moment."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hostmuster.engine.plan import ItemPlan
from hostmuster.engine.record import Record
from hostmuster.engine.rendezvous import Rendezvous
from hostmuster.engine.staging import folder_of, staged, switched, unlike
from hostmuster.engine.tenure import each
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostFailed, HostmusterError
from hostmuster.onhost.program import line
from hostmuster.resources.step import Step
from hostmuster.secrets.generation import Generation, Readers
from hostmuster.secrets.reader import CURRENT

MEETINGS = 2
"""Before the switch, so that it happens everywhere or nowhere; and after it, so that it holds everywhere or nowhere."""
AGAIN = "see to that, then: hostmuster secrets.rollout"


@dataclass(frozen=True)
class TwoPhase:
    """What one run does with one generation, under one number."""

    generation: Generation
    number: int
    readers: Mapping[str, Readers]
    record: Record
    _differing: dict[str, set[str]] = field(default_factory=dict, init=False)
    """By host, the paths of files that its generation before had otherwise or had not: the same there and back."""

    def stage(self, visits: Sequence[Visit]) -> None:
        """Beside what is in use; where it lies already, nothing is sent. Raises HostFailed, nothing switched."""
        incomplete = self.incomplete(visits)
        self._on_all(incomplete, lambda visit: self._carry_out(visit, "stage", staged(self._files(visit), self.number)))
        if damaged := self.incomplete(incomplete):
            names = ", ".join(visit.host.name for visit in damaged)
            raise HostFailed("what was staged is not what was sent; nothing was switched", where=names, remedy=AGAIN)

    def incomplete(self, visits: Sequence[Visit]) -> list[Visit]:
        """Those without the whole generation, file by file, as digests tell under a salt that only this run knows.

        In the same answer each host tells what it has in use (O4).
        """
        found: list[Visit] = []

        def look(visit: Visit) -> None:
            salt, files, folder = secrets.token_hex(16), self._files(visit), folder_of(self.number)
            asked = (f"{where}/{path}" for where in (folder, CURRENT) for path in files)
            answers = visit.hold.run(line("digest", "files", salt, *asked))
            visit.hold.raise_refusal()
            told = {*answers["files"].output.splitlines()}
            self._differing[visit.host.name] = unlike(files, CURRENT, salt, told)
            if unlike(files, folder, salt, told):
                found.append(visit)

        self._on_all(visits, look)
        return found

    def switch(self, visits: Sequence[Visit], number: Callable[[Visit], int]) -> None:
        """All of them at the same moment, or none. Raises HostFailed, naming those that kept the others from it.

        One that is lost after the last meeting comes back with either; the next run makes it as the others are.
        """
        for visit in visits:
            self.record.phase(visit.host.name, "switch", f"generation {self.number}")
        meetings = [Rendezvous(len(visits)) for _ in range(MEETINGS)]
        newest = max(map(number, visits))

        def steps(visit: Visit) -> list[Step]:
            its, host = number(visit), visit.host.name
            return switched(its, self.readers[host], self._differing[host], newest=its == newest)

        if failed := together(visits, steps, meetings):
            stands = "not every host is known to be switched" if meetings[-1].met else "no host was switched"
            why = "; ".join(f"{name}: {why}" for name, why in failed.items())
            raise HostFailed(f"{stands}: {why}", remedy=AGAIN)

    def _files(self, visit: Visit) -> dict[str, bytes]:
        return self.generation.on(visit.host.name, self.number)

    def _carry_out(self, visit: Visit, phase: str, steps: Sequence[Step]) -> None:
        self.record.phase(visit.host.name, phase, f"generation {self.number}")
        visit.transactions.carry_out(_plan(steps))

    def _on_all(self, visits: Sequence[Visit], act: Callable[[Visit], None]) -> None:
        each(visits, act)
        if lost := [visit for visit in visits if not visit.alive]:
            why = "; ".join(f"{visit.host.name}: {visit.outcome.error}" for visit in lost)
            raise HostFailed(f"nothing was switched: {why}", remedy=AGAIN)


def together(
    visits: Sequence[Visit], steps: Callable[[Visit], Sequence[Step]], meetings: Sequence[Rendezvous]
) -> dict[str, str]:
    """Each host's own steps, in which all hosts wait for one another at the meetings. Why it failed, by host."""
    failed: dict[str, str] = {}

    def one(visit: Visit) -> None:
        try:
            visit.transactions.carry_out(_plan(steps(visit)), words=[meeting.arrive for meeting in meetings])
        except HostmusterError as error:
            failed[visit.host.name] = error.what
            raise
        finally:
            for meeting in meetings:
                meeting.leave()

    each(visits, one)
    own = {name: why for name, why in failed.items() if not why.startswith("not every host was ready")}
    return own or dict.fromkeys(failed, "one did not answer in time")


def _plan(steps: Sequence[Step]) -> ItemPlan:
    return ItemPlan("secrets", (), tuple(steps), enforce=True, armed=False)
