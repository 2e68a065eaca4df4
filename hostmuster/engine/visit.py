"""One host through one run: looked at, changed item by item, its debts paid, proved and let go."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from hostmuster.engine import effects
from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.connection import Connection, Unreached
from hostmuster.engine.hold import Hold
from hostmuster.engine.lease import Lease, takeover
from hostmuster.engine.observation import Survey
from hostmuster.engine.outcome import HostOutcome, ItemOutcome
from hostmuster.engine.plan import HostPlan, ItemPlan, plan_host
from hostmuster.engine.record import Record
from hostmuster.engine.signer import Signer
from hostmuster.errors import HostFailed, HostmusterError
from hostmuster.onhost.answers import Answers, Debt, State
from hostmuster.onhost.program import change, line
from hostmuster.resources.resource import Owe
from hostmuster.resources.unit import Unit

READY_S = 30


class Visit:
    """What one run does on one host. A HostFailed ends it for this host alone; it is kept in `outcome.error`."""

    def __init__(
        self,
        compiled: Sequence[Compiled],
        connection: Connection,
        lease: Lease | None,
        record: Record,
        signer: Signer,
    ) -> None:
        self.host = connection.host
        self.outcome = HostOutcome(self.host.name)
        self.plan = HostPlan(connection.host.name, 0, ())
        self.state: State | None = None
        self.hold = Hold(connection, lease)
        self._compiled = compiled
        self._record = record
        self._signer = signer
        self._survey = Survey(resource for part in compiled for resource in part.resources)
        self._revision = 0
        self.stopped = False
        self.interrupted = False
        """Nothing more is begun here: the run is to end."""
        self._debts: dict[str, Debt] = {}

    @property
    def alive(self) -> bool:
        """Whether the run may still do something here."""
        return self.outcome.error is None and self.hold.refused is None

    def fail(self, error: HostmusterError) -> None:
        """The host is given up for this run."""
        # The first one is why; what fails after it only follows.
        self.outcome.error = self.outcome.error or f"{error.what}" + (f" ({error.remedy})" if error.remedy else "")
        if isinstance(error, Unreached):
            self.hold.lose()
        self._record.host_failed(self.host.name, error)

    def look(self) -> None:
        """One exec: lease (where this run changes things), state, everything asked. Then the pure comparison."""
        self._record.phase(self.host.name, "observe")
        self._look()

    @property
    def unsettled_change(self) -> bool:
        """Whether a change of an earlier run is still open here."""
        return self.state is not None and bool(self.state.change)

    def settle(self) -> None:
        """One exec, once every host has given its lease: what a dead run left open is ended, and the host seen anew."""
        self._record.phase(self.host.name, "settle")
        self.outcome.items.clear()
        self._look("settle")
        self.hold.raise_refusal()

    def _look(self, *before: str) -> None:
        answers = self._run(*before, line("state", "state"), self._survey.program)
        if self.hold.refused is not None:
            return
        settled = answers.get("settled")
        if settled is not None and settled.status != 0:
            remedy = "see to that, then apply again or `hostmuster unlock` it"
            raise HostFailed(settled.output, where=self.host.name, remedy=remedy)
        self.state = State.parse(answers["state"].output)
        self._revision = self.state.revision
        self._debts = {debt.unit: debt for debt in self.state.debts}
        for note in filter(None, (takeover(answers), settled and f"an open change was settled: {settled.output}")):
            self._record.warning(f"{self.host.name}: {note}")
        enforced = frozenset(part.item.name for part in self._compiled if self.host.enforces(part.item.name))
        seen = self._survey.read(answers)
        self.plan = plan_host(self.host.name, self._compiled, seen, self._revision, enforced)
        self.outcome.compare(self.plan)

    def change(self) -> None:
        """One exec an item that differs; the first that fails stops this host."""
        waiting = list(self.plan.changes)
        while waiting:
            if self.interrupted:
                self.outcome.skip(waiting, "the run was interrupted")
                return
            part = waiting.pop(0)
            try:
                self._change(part)
            except HostmusterError as error:
                self.outcome.failed(part.item, error.what)
                self.outcome.skip(waiting, f"{part.item} failed before it")
                self.stopped = True
                if isinstance(error, HostFailed) and not isinstance(error, StepFailed):
                    self.fail(error)
                return
            self.outcome.changed(part)

    def look_again(self) -> None:
        """One exec: the changed host is as declared now, or what is left is the next round's plan.

        A restart owed to a unit that the change itself has started since is none.
        """
        asked = [line("paid", *self._debts)] if self._debts else []
        answers = self._run(*asked, self._survey.program)
        self.hold.raise_refusal()
        for unit in answers["paid"].output.split() if asked else ():
            del self._debts[unit]
        enforced = frozenset(item.item for item in self.plan.items if item.enforce)
        seen = self._survey.read(answers)
        self.plan = plan_host(self.host.name, self._compiled, seen, self._revision, enforced)

    def unsettled(self) -> None:
        """What still differs after the last round is a failure: a change that does not hold is none."""
        for part in self.plan.changes:
            self.outcome.failed(part.item, "still differs after the change: " + "; ".join(map(str, part.differences)))

    def _change(self, part: ItemPlan) -> None:
        if part.blocked:
            raise StepFailed("; ".join(part.blocked), where=self.host.name)
        self._record.phase(self.host.name, "change", part.item)
        transaction = secrets.token_hex(4)
        arm_s = self.host.fleet.confirm_s if part.armed else 0
        lease = [self.hold.lease.holds(self._revision)] if self.hold.lease else []
        answers = self._run(*lease, change(part.item, transaction, self._signer.sent(part.steps), arm_s=arm_s))
        self.hold.raise_refusal()
        self._accept(answers, "change")
        self._revision = int(answers["change"].output)
        self._debts |= {s.unit: Debt(s.unit, s.action) for s in part.steps if isinstance(s, Owe)}
        if part.armed:
            self._confirm(transaction, part.item, arm_s)

    def _confirm(self, transaction: str, item: str, arm_s: int) -> None:
        self._accept(self.hold.confirm(transaction, item, arm_s), "confirm")

    def pay(self) -> None:
        """The restarts and reloads owed, each proved before its debt goes."""
        declared = (one for part in self._compiled for one in (*part.units, *part.resources))
        units = {one.name: one for one in declared if isinstance(one, Unit)}
        for debt in list(self._debts.values()):
            if self.interrupted:
                return
            self._record.phase(self.host.name, debt.action, debt.unit)
            unit = units.get(debt.unit)
            ready = (str(unit.ready_s), *unit.ready) if unit else (str(READY_S),)
            answers = self._run(line("pay", debt.unit, debt.action, *ready))
            self.hold.raise_refusal()
            paid = answers["pay"]
            if paid.status != 0:
                raise HostFailed(
                    f"{debt.unit} did not come back: {paid.output}",
                    where=self.host.name,
                    remedy=f"journalctl -u {debt.unit} there; the restart stays owed until it is proved",
                )
            del self._debts[debt.unit]

    @property
    def owes(self) -> bool:
        """Whether a restart or reload is owed here."""
        return bool(self._debts)

    def prove(self, *, deep: bool = False, applied: str | None = None) -> None:
        """One exec: every effect, and the lease given back; those that do not hold yet are asked again."""
        self._record.phase(self.host.name, "verify")
        asked = effects.wanted(self._compiled, deep=deep)
        given_back = [self.hold.lease.release(applied)] if self.hold.lease else []
        answers = self._run(effects.program(asked), *given_back)
        self.hold.raise_refusal()
        judged = effects.settle(self.hold.connection, effects.judge(asked, answers))
        for item, found in effects.by_item(judged).items():
            self.outcome.items.setdefault(item, ItemOutcome(item)).prove(found)

    def regret(self, error: HostmusterError) -> None:
        """The lease could not be given back."""
        seconds = self.hold.lease.seconds if self.hold.lease else 0
        self._record.warning(f"{self.host.name}: its lease was not given back: {seconds} s more ({error.what})")

    def close(self) -> None:
        """Ends the connection; counts the execs."""
        self.outcome.execs = self.hold.connection.execs
        self.hold.connection.close()

    def _run(self, *lines: str) -> Answers:
        return self.hold.run(*lines)

    def _accept(self, answers: Answers, name: str) -> None:
        answer = answers[name]
        if answer.status != 0:
            raise StepFailed(answer.output, where=self.host.name)


class StepFailed(HostFailed):
    """The host refused a step and is as before; the connection is fine."""
