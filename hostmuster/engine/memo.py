"""What a run of plain pyinfra knows of one host: one observation, and then one change after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hostmuster.engine.connection import Connection
from hostmuster.engine.fleet_run import ROUNDS
from hostmuster.engine.opening import Opening
from hostmuster.engine.plan import ItemPlan
from hostmuster.engine.record import Record
from hostmuster.engine.source import Source
from hostmuster.engine.standing_still import require_left_halted
from hostmuster.engine.transactions import StepFailed
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostmusterError, Refused


class Memo(Visit):
    """A visit whose steps are operations of pyinfra's, each under a lease that it takes and gives back.

    Looking takes none, since nobody knows yet whether the run is a dry one.
    """

    def __init__(self, opening: Opening, connection: Connection, record: Record, source: Source) -> None:
        super().__init__(opening.catalogue.hosts[connection.host.name], connection, None, record, opening.signer)
        self._own_lease = opening.lease
        self._source = source
        self._barred: HostmusterError | None = None

    def look(self) -> None:
        """One exec. Raises HostFailed, or Refused by a host whose state a newer hostmuster wrote."""
        super().look()
        if self.hold.refused is not None:
            raise self.hold.refused
        self._barred = self._why_barred()

    def part(self, item: str) -> ItemPlan | None:
        """The item on this host, as last seen; None where it is not for this host."""
        return next((part for part in self.plan.items if part.item == item), None)

    def changes(self, item: str) -> bool:
        """Whether the item differs and is to be changed."""
        part = self.part(item)
        return part is not None and part.changes

    @property
    def will_owe(self) -> bool:
        """Whether a restart or reload is owed, or will be by what is to change."""
        return bool(self.debts.owed) or any(part.will for part in self.plan.changes)

    def shown(self) -> Iterator[str]:
        """Everything that differs, in words without any content; what is owed; why nothing may be changed."""
        for part in self.plan.items:
            name = part.item if part.enforce else f"{part.item} (only observed)"
            yield from (f"{name}: {difference}" for difference in part.differences)
            if part.changes:
                yield from (f"{name} will {text}" for text in part.will)
                yield from (f"{name} is blocked: {reason}" for reason in part.blocked)
        yield from (f"owed: {debt.action} {debt.unit}" for debt in self.debts.owed.values())
        if self._barred is not None:
            yield f"will be refused: {self._barred.what}"

    def bring(self, item: str) -> None:
        """Makes one item as declared and looks again. Raises HostmusterError where it is not so in the end."""
        self._under_lease(lambda: self._bring(item))

    def settle_debts(self) -> None:
        """Pays what this host owes, each restart proved. Raises HostFailed; the debt then stays."""
        self._under_lease(self.debts.pay)

    def _bring(self, item: str) -> None:
        for _ in range(ROUNDS):
            part = self.part(item)
            if part is None or not part.changes:
                return
            if part in self.gate.holds_back(self.plan):
                # A line may hold only once what it owes is paid.
                self.debts.pay()
                self.enter_service()
            if not self.gate.admitted and self.gate.reason:
                raise StepFailed(self.gate.reason, where=self.host.name)
            self.transactions.carry_out(part)
            if part.armed:
                # The connection is a new one now; pyinfra must forget the file transfer that it kept over the old one.
                self.hold.connection.forget_transfers()
            self.look_again()
        part = self.part(item)
        if part is not None and part.changes:
            left = "; ".join(map(str, part.differences))
            raise StepFailed(f"{item} still differs after the change: {left}", where=self.host.name)

    def _under_lease(self, act: Callable[[], None]) -> None:
        if self._barred is not None:
            raise self._barred
        self.hold.lease = self._own_lease
        applied = None
        try:
            act()
            # Also after one item of many: an older tree must not take that one back.
            applied = self._source.revision
        finally:
            self._give_back(applied)

    def _give_back(self, applied: str | None) -> None:
        try:
            self.hold.run(self._own_lease.release(applied))
        except HostmusterError:
            seconds = self._own_lease.seconds
            self._record.warning(f"{self.host.name}: the lease could not be given back; it ends within {seconds} s")
        self.hold.refused = self.hold.lease = None
        if note := self.hold.takeover():
            self._record.warning(f"{self.host.name}: {note}")

    def _why_barred(self) -> HostmusterError | None:
        name, state = self.host.name, self.state
        if state is None:
            return None
        if state.frozen:
            remedy = f"`hostmuster thaw {name}` first, or leave it out with --exclude {name}"
            return Refused(f"it is frozen for maintenance ({state.frozen})", where=name, remedy=remedy)
        if state.change:
            remedy = f"see `hostmuster unlock {name}`; the next `hostmuster apply` settles it"
            return Refused(f"a change is open there ({state.change})", where=name, remedy=remedy)
        try:
            self._source.require_not_older(name, state.applied)
            require_left_halted([(self.host, self.plan, state)])
        except Refused as error:
            return error
        return None
