"""One host through one run: looked at, changed item by item, its debts paid, proved and let go."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from functools import partial

from hostmuster.engine import effects
from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.connection import Connection, Unreached, Word
from hostmuster.engine.distribution import Distribution
from hostmuster.engine.drains import Drains
from hostmuster.engine.ending import Runs, asks, asks_end, ended, running, will_end
from hostmuster.engine.gate import Gate
from hostmuster.engine.hold import Hold
from hostmuster.engine.lease import Lease, takeover
from hostmuster.engine.observation import Survey
from hostmuster.engine.outcome import HostOutcome, ItemOutcome
from hostmuster.engine.plan import HostPlan, ItemPlan, plan_host
from hostmuster.engine.record import Record
from hostmuster.engine.signer import Signer
from hostmuster.errors import HostFailed, HostmusterError
from hostmuster.images.script import CONTENT
from hostmuster.item import Effect
from hostmuster.onhost.answers import Answers, Debt, State
from hostmuster.onhost.program import change, line
from hostmuster.resources.resource import Deliver, Observation, Owe
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
        *,
        compared: bool = False,
        distribution: Distribution | None = None,
        gate: Gate | None = None,
        drains: Drains | None = None,
    ) -> None:
        self.host = connection.host
        self.outcome = HostOutcome(self.host.name)
        self.plan = HostPlan(connection.host.name, 0, ())
        self.state: State | None = None
        self.hold = Hold(connection, lease)
        self._compiled = compiled
        self._record = record
        self._signer = signer
        self.gate = gate or Gate(compiled, connection.host)
        self._distribution = distribution or Distribution()
        self._drains = drains
        self.alike = tuple(one for part in compiled for one in part.alike) if compared else ()
        """What is asked beside that, to compare the host with others."""
        self.seen: Observation | None = None
        resources = (resource for part in compiled for resource in part.resources)
        self._survey = Survey(resources, (one.question for one in self.alike))
        self._revision = 0
        self.stopped = False
        self.interrupted = False
        """Nothing more is begun here: the run is to end."""
        self._debts: dict[str, Debt] = {}

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
        self.foresee()

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
        self._take_in(self._run(*before, line("state", "state"), self._survey.program))

    def _take_in(self, answers: Answers) -> None:
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
        self.seen = self._survey.read(answers)
        self.plan = plan_host(self.host.name, self._compiled, self.seen, self._revision, enforced)
        self.outcome.compare(self.plan)

    @property
    def is_at_gate(self) -> bool:
        """Whether this run would now have the host enter service."""
        return self.alive and not self.stopped and bool(self.gate.holds_back(self.plan))

    def enter_service(self) -> None:
        """One exec: all that must hold before does, or what waits for it is not begun."""
        self._record.phase(self.host.name, "gate")
        answers = self._run(effects.program(self.gate.conditions))
        self.hold.raise_refusal()
        judged = effects.settle(self.hold.connection, effects.judge(self.gate.conditions, answers))
        waiting = self.gate.holds_back(self.plan)
        if not self.gate.admit(judged, waiting):
            self._stop(waiting, self.gate.reason)

    def _stop(self, parts: Sequence[ItemPlan], why: str) -> None:
        self.outcome.skip(parts, why)
        self.stopped = True

    def change(self) -> None:
        """One exec an item that differs; the first that fails stops this host."""
        waiting, last = list(self.due), self.gate.holds_back(self.plan)
        while waiting:
            if self.interrupted:
                self._stop((*waiting, *last), "the run was interrupted")
                return
            part = waiting.pop(0)
            try:
                self.carry_out(part)
            except HostmusterError as error:
                self.outcome.failed(part.item, error.what)
                self._stop((*waiting, *last), f"{part.item} failed before it")
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
        for part in self.due:
            self.outcome.failed(part.item, "still differs after the change: " + "; ".join(map(str, part.differences)))
        self._stop(self.gate.holds_back(self.plan), f"{self.due[0].item} failed before it")

    def carry_out(self, part: ItemPlan, *after: str, words: Sequence[Word] = ()) -> None:
        """One exec: the item's transaction, then `after`; `words` are said at its Meet steps.

        Raises StepFailed where all is as before it.
        """
        if part.blocked:
            raise StepFailed("; ".join(part.blocked), where=self.host.name)
        self._deliver(part)
        self._record.phase(self.host.name, "change", part.item)
        transaction = secrets.token_hex(4)
        arm_s = self.host.fleet.confirm_s if part.armed else 0
        lease = [self.hold.lease.holds(self._revision)] if self.hold.lease else []
        sent = change(part.item, transaction, self._signer.sent(part.steps), arm_s=arm_s)
        answers = self.hold.run(*lease, sent, *after, words=words)
        self.hold.raise_refusal()
        self._accept(answers, "change")
        self._revision = int(answers["change"].output)
        for step in part.steps:
            # As on the host, a restart outweighs a reload, whichever came first.
            if isinstance(step, Owe) and (step.action == "restart" or step.unit not in self._debts):
                self._debts[step.unit] = Debt(step.unit, step.action)
        if part.armed:
            self._confirm(transaction, part.item, arm_s)

    def change_for_good(self) -> None:
        """The last thing that is done here: the lease is given back with it, since after it we may not come in."""
        for part in self.plan.changes:
            self.carry_out(part, *([self.hold.lease.release()] if self.hold.lease else []))

    def _deliver(self, part: ItemPlan) -> None:
        """An exec for each large content that the item needs here; the lease is renewed meanwhile."""
        say = partial(self._record.phase, self.host.name, "transfer")
        for step in part.steps:
            if isinstance(step, Deliver):
                self._distribution.deliver(self.hold.connection, step, say)

    def sweep(self) -> None:
        """One exec where content was brought: the run's other hosts have it by now."""
        if brought := self._distribution.brought(self.host.name):
            paths = [f"{CONTENT}/{digest}" for digest in sorted(brought)]
            self.hold.connection.run(line("probe", "swept", "rm", "-f", "--", *paths))

    def _confirm(self, transaction: str, item: str, arm_s: int) -> None:
        self._accept(self.hold.confirm(transaction, item, arm_s), "confirm")

    def pay(self) -> None:
        """The restarts and reloads owed, each proved before its debt goes; what serves is taken out meanwhile."""
        units = self._units
        for debt in list(self._debts.values()):
            if self.interrupted:
                return
            with self._drains.around(self.host, debt) if self._drains else nullcontext():
                self._pay(debt, units.get(debt.unit))

    def _pay(self, debt: Debt, unit: Unit | None) -> None:
        runs = self.running_in([debt.unit])[debt.unit] if debt.action == "restart" else None
        self._record.phase(self.host.name, debt.action, will_end("", debt.unit, runs).strip())
        ready = (str(unit.ready_s), *unit.ready) if unit else (str(READY_S),)
        answers = self._run(line("pay", debt.unit, debt.action, *ready), asks_end(debt.unit))
        self.hold.raise_refusal()
        paid = answers["pay"]
        said = answers.get("ended")
        if said is not None and (debt.action == paid.output == "restart" or paid.status != 0):
            self._record.ended(ended(self.host.name, debt.unit, "restarted", runs, said))
        if paid.status != 0:
            raise HostFailed(
                f"{debt.unit} did not come back: {paid.output}",
                where=self.host.name,
                remedy=f"journalctl -u {debt.unit} there; the restart stays owed until it is proved",
            )
        del self._debts[debt.unit]

    def running_in(self, units: Iterable[str]) -> dict[str, Runs]:
        """One exec where it is declared how any of them is asked: what each is at."""
        asked = {name: self._units.get(name) for name in units}
        program = asks(filter(None, asked.values()))
        answers = self._run(program) if program else Answers({})
        self.hold.raise_refusal()
        return {name: running(answers, unit) for name, unit in asked.items()}

    @property
    def _units(self) -> dict[str, Unit]:
        declared = (one for part in self._compiled for one in (*part.units, *part.resources))
        return {one.name: one for one in declared if isinstance(one, Unit)}

    def foresee(self) -> None:
        """One exec where the plan stops or restarts what has runs: they are told before anything is done."""
        stopped = {words.split()[-1] for part in self.plan.changes for words in part.will}
        if not stopped or not self.alive:
            return
        runs = self.running_in(stopped)
        for part in self.plan.changes:
            words = [will_end(*text.rpartition(" ")[::2], runs.get(text.split()[-1])) for text in part.will]
            self.outcome.items[part.item].will = words
            for text in words:
                self._record.phase(self.host.name, "will", text)

    @property
    def owes(self) -> bool:
        """Whether a restart or reload is owed here."""
        return bool(self._debts)

    def prove(self, *, deep: bool = False, applied: str | None = None) -> None:
        """One exec: every effect, and the lease given back; those that do not hold yet are asked again."""
        self._record.phase(self.host.name, "verify")
        asked = self.gate.askable(effects.wanted(self._compiled, deep=deep))
        given_back = [self.hold.lease.release(applied)] if self.hold.lease else []
        answers = self._run(effects.program(asked), *given_back)
        self.hold.raise_refusal()
        self._proved(asked, answers)

    def _proved(self, asked: Sequence[tuple[str, Effect]], answers: Answers) -> None:
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
        if self._drains:
            self._drains.close()

    def _run(self, *lines: str) -> Answers:
        return self.hold.run(*lines)

    def _accept(self, answers: Answers, name: str) -> None:
        answer = answers[name]
        if answer.status != 0:
            raise StepFailed(answer.output, where=self.host.name)


class StepFailed(HostFailed):
    """The host refused a step and is as before; the connection is fine."""
