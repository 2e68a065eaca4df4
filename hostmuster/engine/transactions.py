"""The transactions of one run on one host, each on the revision that the one before it left."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import partial

from hostmuster.engine.connection import Word
from hostmuster.engine.debts import Debts
from hostmuster.engine.distribution import Distribution
from hostmuster.engine.hold import Hold
from hostmuster.engine.plan import ItemPlan
from hostmuster.engine.record import Record
from hostmuster.engine.signer import Signer
from hostmuster.errors import HostFailed
from hostmuster.images.script import CONTENT
from hostmuster.item import Answer
from hostmuster.onhost.program import change, line
from hostmuster.resources.step import Deliver, Step


class StepFailed(HostFailed):
    """The host refused a step and is as before; the connection is fine."""


class Transactions:
    """`revision`: the host's own, as last seen or left. A host that moved on since refuses what is to be done."""

    def __init__(
        self, hold: Hold, debts: Debts, record: Record, signer: Signer, distribution: Distribution | None
    ) -> None:
        self.revision = 0
        self._host = hold.connection.host
        self._hold = hold
        self._debts = debts
        self._record = record
        self._signer = signer
        self._distribution = distribution or Distribution()

    def carry_out(self, part: ItemPlan, *after: str, words: Sequence[Word] = ()) -> None:
        """One exec: the item's transaction, then `after`; `words` are said at its Meet steps.

        Raises StepFailed where all is as before it.
        """
        if part.blocked:
            raise StepFailed("; ".join(part.blocked), where=self._host.name)
        self._deliver(part.steps)
        self._record.phase(self._host.name, "change", part.item)
        transaction = secrets.token_hex(4)
        arm_s = self._host.fleet.confirm_s if part.armed else 0
        lease = [self._hold.lease.holds(self.revision)] if self._hold.lease else []
        sent = change(part.item, transaction, self._signer.sent(part.steps), arm_s=arm_s)
        answers = self._hold.run(*lease, sent, *after, words=words)
        self._hold.raise_refusal()
        self.revision = int(self._accepted(answers["change"]))
        self._debts.incur(part.steps)
        if part.armed:
            self._accepted(self._hold.confirm(transaction, part.item, arm_s)["confirm"])

    def sweep(self) -> None:
        """One exec where content was brought: the run's other hosts have it by now."""
        if brought := self._distribution.brought(self._host.name):
            paths = [f"{CONTENT}/{digest}" for digest in sorted(brought)]
            self._hold.connection.run(line("probe", "swept", "rm", "-f", "--", *paths))

    def _deliver(self, steps: Sequence[Step]) -> None:
        """An exec for each large content that is needed here; the lease is renewed meanwhile."""
        say = partial(self._record.phase, self._host.name, "transfer")
        for step in steps:
            if isinstance(step, Deliver):
                self._distribution.deliver(self._hold.connection, step, say)

    def _accepted(self, answer: Answer) -> str:
        if answer.status != 0:
            raise StepFailed(answer.output, where=self._host.name)
        return answer.output
