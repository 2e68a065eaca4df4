"""What hostmuster sends to a host to look at it: the floors send exactly this."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.fleet import BenchFleet
from hostmuster.engine.observation import Survey
from hostmuster.engine.opening import open_fleet
from hostmuster.onhost import script
from hostmuster.onhost.program import line


@dataclass(frozen=True)
class Sent:
    """The command, and its standard input."""

    command: str
    stdin: str

    @classmethod
    def by_hostmuster(cls, fleet: BenchFleet) -> Sent:
        """The script with the questions about the benchmark's items; the same for every host."""
        opening = open_fleet(fleet.job())
        first = opening.hosts[0]
        survey = Survey(first, opening.catalogue.hosts[first.name])
        mark = script.marker()
        program = f"{line('state', 'state')}\n{survey.program}"
        return cls(script.command(mark), script.stdin(mark, program))
