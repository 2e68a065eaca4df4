"""What one host owes its units: a restart or reload is on its disk before the change, and goes once it was proved."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext

from hostmuster.engine.drains import Drains
from hostmuster.engine.ending import asks_end, ended, will_end
from hostmuster.engine.hold import Hold
from hostmuster.engine.record import Record
from hostmuster.engine.services import Services
from hostmuster.errors import HostFailed
from hostmuster.onhost.answers import Answers, Debt
from hostmuster.onhost.program import line
from hostmuster.resources.step import Owe, Step
from hostmuster.resources.unit import Unit

READY_S = 30
"""So long a unit that no line declares may take to be ready."""


class Debts:
    """`owed`: by unit, as the host is known to have them now."""

    def __init__(self, hold: Hold, services: Services, record: Record, drains: Drains | None) -> None:
        self.owed: dict[str, Debt] = {}
        self._hold = hold
        self._services = services
        self._record = record
        self._drains = drains

    def incur(self, steps: Iterable[Step]) -> None:
        """What these steps, carried out, have left there."""
        for step in steps:
            # As on the host, a restart outweighs a reload, whichever came first.
            if isinstance(step, Owe) and (step.action == "restart" or step.unit not in self.owed):
                self.owed[step.unit] = Debt(step.unit, step.action)

    @property
    def asks(self) -> list[str]:
        """The line that asks which of them are none any more: a change may have started the unit itself since."""
        return [line("paid", *self.owed)] if self.owed else []

    def forgive(self, answers: Answers) -> None:
        """Takes in what the host says to that."""
        for unit in answers["paid"].output.split() if self.owed else ():
            del self.owed[unit]

    def pay(self) -> None:
        """One after the other, each proved before its debt goes; what serves is taken out meanwhile.

        Raises HostFailed where a unit does not come back.
        """
        host = self._hold.connection.host
        for debt in list(self.owed.values()):
            if self._hold.interrupted:
                return
            with self._drains.around(host, debt) if self._drains else nullcontext():
                self._pay(debt, self._services.declared.get(debt.unit))

    def _pay(self, debt: Debt, unit: Unit | None) -> None:
        host = self._hold.connection.host.name
        runs = self._services.running_in([debt.unit])[debt.unit] if debt.action == "restart" else None
        self._record.phase(host, debt.action, will_end("", debt.unit, runs).strip())
        ready = (str(unit.ready_s), *unit.ready) if unit else (str(READY_S),)
        answers = self._hold.run(line("pay", debt.unit, debt.action, *ready), asks_end(debt.unit))
        self._hold.raise_refusal()
        paid = answers["pay"]
        said = answers.get("ended")
        if said is not None and (debt.action == paid.output == "restart" or paid.status != 0):
            self._record.ended(ended(host, debt.unit, "restarted", runs, said))
        if paid.status != 0:
            raise HostFailed(
                f"{debt.unit} did not come back: {paid.output}",
                where=host,
                remedy=f"journalctl -u {debt.unit} there; the restart stays owed until it is proved",
            )
        del self.owed[debt.unit]

    def close(self) -> None:
        """Ends our way to the ingress hosts, where there was one."""
        if self._drains:
            self._drains.close()
