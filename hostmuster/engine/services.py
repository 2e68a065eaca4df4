"""The services of one host: which its checklist declares, and what each is at before we stop or restart it (K9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.ending import Runs, asks, running, will_end
from hostmuster.engine.hold import Hold
from hostmuster.engine.plan import HostPlan
from hostmuster.onhost.answers import Answers
from hostmuster.resources.unit import Unit


class Services:
    """`declared`: the units, by name, that lines of this host have or refer to."""

    def __init__(self, hold: Hold, compiled: Sequence[Compiled]) -> None:
        self._hold = hold
        units = (one for part in compiled for one in (*part.units, *part.resources))
        self.declared = {one.name: one for one in units if isinstance(one, Unit)}

    def running_in(self, units: Iterable[str]) -> dict[str, Runs]:
        """One exec where it is declared how any of them is asked: what each is at. Raises HostFailed."""
        asked = {name: self.declared.get(name) for name in units}
        program = asks(filter(None, asked.values()))
        answers = self._hold.run(program) if program else Answers({})
        self._hold.raise_refusal()
        return {name: running(answers, unit) for name, unit in asked.items()}

    def foretold(self, plan: HostPlan) -> dict[str, list[str]]:
        """By item, what its change stops or restarts, and what that ends. Raises HostFailed."""
        stopped = {words.split()[-1] for part in plan.changes for words in part.will}
        runs = self.running_in(stopped)
        return {
            part.item: [will_end(*text.rpartition(" ")[::2], runs.get(text.split()[-1])) for text in part.will]
            for part in plan.changes
        }
