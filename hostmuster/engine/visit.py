"""One host through one run: looked at, changed item by item, proved and let go."""

from __future__ import annotations

from collections.abc import Sequence

from hostmuster.engine import effects
from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.connection import Connection
from hostmuster.engine.debts import Debts
from hostmuster.engine.distribution import Distribution
from hostmuster.engine.drains import Drains
from hostmuster.engine.gate import Gate
from hostmuster.engine.hold import Hold
from hostmuster.engine.lease import Lease
from hostmuster.engine.observation import Survey
from hostmuster.engine.outcome import HostOutcome, ItemOutcome
from hostmuster.engine.plan import HostPlan, ItemPlan, plan_host
from hostmuster.engine.record import Record
from hostmuster.engine.services import Services
from hostmuster.engine.signer import Signer
from hostmuster.engine.transactions import StepFailed, Transactions
from hostmuster.engine.unreached import Unreached
from hostmuster.errors import HostFailed, HostmusterError
from hostmuster.onhost.answers import Answers, State
from hostmuster.onhost.program import line
from hostmuster.resources.resource import Observation


class Visit:
    """What one run does on one host. A HostFailed ends it for this host alone; it is kept in `outcome.error`."""

    def __init__(
        self,
        compiled: Sequence[Compiled],
        connection: Connection,
        lease: Lease | None,
        record: Record,
        signer: Signer,
        *,
        compared: bool = False,
        distribution: Distribution | None = None,
        gate: Gate | None = None,
        drains: Drains | None = None,
    ) -> None:
        self.host = connection.host
        self.outcome = HostOutcome(self.host.name)
        self.plan = HostPlan(self.host.name, 0, ())
        self.state: State | None = None
        self.seen: Observation | None = None
        self.stopped = False
        self.alike = tuple(one for part in compiled for one in part.alike) if compared else ()
        """What is asked beside what is declared, to compare the host with others."""
        self.gate = gate or Gate(compiled, self.host)
        self.hold = Hold(connection, lease)
        self.services = Services(self.hold, compiled)
        self.debts = Debts(self.hold, self.services, record, drains)
        self.transactions = Transactions(self.hold, self.debts, record, signer, distribution)
        self._compiled = compiled
        self._record = record
        self._survey = Survey(self.host, compiled, (one.question for one in self.alike))

    @property
    def alive(self) -> bool:
        """Whether the run may still do something here."""
        return self.outcome.error is None and self.hold.refused is None

    @property
    def due(self) -> tuple[ItemPlan, ...]:
        """What this run changes now: all that differs, but for what the gate holds back."""
        return tuple(part for part in self.plan.changes if part not in self.gate.holds_back(self.plan))

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
        self._foresee()

    def settle(self) -> None:
        """One exec, once every host has given its lease: what a dead run left open is ended, and the host seen anew."""
        self._record.phase(self.host.name, "settle")
        self.outcome.items.clear()
        self._look("settle")
        self.hold.raise_refusal()

    def _look(self, *before: str) -> None:
        self._take_in(self.hold.run(*before, line("state", "state"), self._survey.program))

    def _take_in(self, answers: Answers) -> None:
        if self.hold.refused is not None:
            return
        settled = answers.get("settled")
        if settled is not None and settled.status != 0:
            remedy = "see to that, then apply again or `hostmuster unlock` it"
            raise HostFailed(settled.output, where=self.host.name, remedy=remedy)
        self.state = State.parse(answers["state"].output)
        self.transactions.revision = self.state.revision
        self.debts.owed = {debt.unit: debt for debt in self.state.debts}
        for note in filter(None, (self.hold.takeover(), settled and f"an open change was settled: {settled.output}")):
            self._record.warning(f"{self.host.name}: {note}")
        self.seen = self._compare(answers)
        self.outcome.compare(self.plan)

    def _compare(self, answers: Answers) -> Observation:
        seen = self._survey.read(answers)
        enforced = frozenset(part.item.name for part in self._compiled if self.host.enforces(part.item.name))
        root, revision = self.host.fleet.project.root, self.transactions.revision
        self.plan = plan_host(self.host.name, self._compiled, seen, revision, enforced, root)
        return seen

    def _foresee(self) -> None:
        # Before anything is done it is told what that ends: one more exec where the plan stops what may have runs.
        for item, words in (self.services.foretold(self.plan) if self.alive else {}).items():
            self.outcome.items[item].will = words
            for text in words:
                self._record.phase(self.host.name, "will", text)

    @property
    def is_at_gate(self) -> bool:
        """Whether this run would now have the host enter service."""
        return self.alive and not self.stopped and bool(self.gate.holds_back(self.plan))

    def enter_service(self) -> None:
        """One exec: all that must hold before does, or what waits for it is not begun."""
        self._record.phase(self.host.name, "gate")
        waiting = self.gate.holds_back(self.plan)
        if not self.gate.admit(effects.asked(self.hold, self.gate.conditions), waiting):
            self._stop(waiting, self.gate.reason)

    def _stop(self, parts: Sequence[ItemPlan], why: str) -> None:
        self.outcome.skip(parts, why)
        self.stopped = True

    def change(self) -> None:
        """One exec an item that differs; the first that fails stops this host."""
        waiting, last = list(self.due), self.gate.holds_back(self.plan)
        while waiting:
            if self.hold.interrupted:
                self._stop((*waiting, *last), "the run was interrupted")
                return
            part = waiting.pop(0)
            try:
                self.transactions.carry_out(part)
            except HostmusterError as error:
                self.outcome.failed(part.item, error.what)
                self._stop((*waiting, *last), f"{part.item} failed before it")
                if isinstance(error, HostFailed) and not isinstance(error, StepFailed):
                    self.fail(error)
                return
            self.outcome.changed(part)

    def look_again(self) -> None:
        """One exec: the changed host is as declared now, or what is left is the next round's plan."""
        answers = self.hold.run(*self.debts.asks, self._survey.program)
        self.hold.raise_refusal()
        self.debts.forgive(answers)
        self._compare(answers)

    def unsettled(self) -> None:
        """What still differs after the last round is a failure: a change that does not hold is none."""
        for part in self.due:
            self.outcome.failed(part.item, "still differs after the change: " + "; ".join(map(str, part.differences)))
        self._stop(self.gate.holds_back(self.plan), f"{self.due[0].item} failed before it")

    def change_for_good(self) -> None:
        """The last thing that is done here: the lease is given back with it, since after it we may not come in."""
        for part in self.plan.changes:
            self.transactions.carry_out(part, *([self.hold.lease.release()] if self.hold.lease else []))

    def prove(self, *, deep: bool = False, applied: str | None = None) -> None:
        """One exec: every effect, and the lease given back; those that do not hold yet are asked again."""
        self._record.phase(self.host.name, "verify")
        wanted = self.gate.askable(effects.wanted(self._compiled, deep=deep))
        given_back = [self.hold.lease.release(applied)] if self.hold.lease else []
        self._proved(effects.asked(self.hold, wanted, *given_back))

    def _proved(self, judged: Sequence[effects.Judged]) -> None:
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
        self.debts.close()
