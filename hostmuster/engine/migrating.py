"""A Fernet key replaced: while nobody writes, rows are dumped, encrypted anew and proved, or put back (K6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hostmuster.engine.automation import AUTOMATION_KEY
from hostmuster.engine.opening import Opening
from hostmuster.engine.outage import outage
from hostmuster.engine.plan import ItemPlan
from hostmuster.engine.record import Record
from hostmuster.engine.replacing import Replacing, require_confirmed
from hostmuster.engine.replicas import Seen, look_at_value
from hostmuster.engine.transactions import StepFailed
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostFailed, Refused
from hostmuster.onhost.program import line
from hostmuster.resources.step import Step
from hostmuster.secrets import row_acts
from hostmuster.secrets.generation import digits_of
from hostmuster.secrets.kinds import fernet
from hostmuster.secrets.rotation import migration
from hostmuster.secrets.rotation.migration import Migration, Pair
from hostmuster.secrets.rotation.replacement import Request
from hostmuster.secrets.rotation.rollout import all_at_once, is_open
from hostmuster.secrets.rotation.transition import Edit, Rows, Transition
from hostmuster.secrets.row_commands import Act, RowCommands, commands_of
from hostmuster.secrets.succession import Succession

CUT_SHORT = "an act was cut short, so it was not gone on with"


def migrate(opening: Opening, record: Record) -> dict[str, object]:
    """Every row encrypted with a new key, which every replica then uses; or put back, and `put_back` says why.

    Raises Refused, nothing touched: without declared commands or the typed name, while a host cannot be reached or has
    more to come than this, with a store that is older than what the hosts have. Raises HostFailed in the middle, with
    the replicas stopped; typed again it goes on from there, or puts the rows back.
    """
    name = opening.job.secret or ""
    opening.store.value(name)
    commands = _commands(opening, name)
    require_confirmed(opening, name)
    with outage(opening, record, name) as out:
        replacing = Replacing(out, f"see to that, then: hostmuster secrets.rotate {name}")
        out.require_nothing_else()
        (visit,) = (one for one in out.visits if one.host.name == commands.host)
        migrating = Migrating(replacing, visit, commands)
        with record.forward(replacing.again):
            migrating.bring()
    return replacing.document() | ({"put_back": migrating.why} if migrating.why else {})


def _commands(opening: Opening, name: str) -> RowCommands:
    declared = next((found[name] for host in opening.hosts if name in (found := commands_of(host))), None)
    migration.require(declared=declared is not None)
    assert declared is not None  # noqa: S101 - it was required
    if opening.job.exclude:
        what = "no host is left out of a migration: it may have written what nobody encrypted anew"
        raise Refused(what, where="--exclude", remedy="bring it back, or take it out of the fleet: offboard")
    return declared


@dataclass
class Migrating:
    """One run's part of it, the host that has the record at hand. `why`: the reason where rows are put back."""

    replacing: Replacing
    visit: Visit
    commands: RowCommands
    why: str = ""

    def bring(self) -> None:
        """Takes every step that is due, to the end."""
        out = self.replacing.out
        seen, kept = look_at_value(out.opening, out.name), self._recorded()
        if kept is not None and kept.stage == "dumped":
            kept = None  # of an earlier run: who knows who wrote since
        request = self._request(seen, kept)
        while True:
            due = migration.next_step(request, self._pair, seen.replicas, kept, declared=True)
            if self.replacing.take(due, seen):
                self._end(due, kept)
                return
            match due:
                case Edit(change):
                    self._edit(change)
                    request = "go on"
                case Rows(act):
                    kept = self._act(act)
                case _:
                    seen = look_at_value(out.opening, out.name)

    @property
    def _keys(self) -> Succession:
        return self.replacing.out.opening.store.succession(self.replacing.out.name)

    @property
    def _pair(self) -> Pair:
        """The store's keys by what hosts know them by."""
        keys, store = self._keys, self.replacing.out.opening.store
        upcoming = digits_of(store, keys.next, AUTOMATION_KEY) if keys.next else None
        return Pair(digits_of(store, keys.current, AUTOMATION_KEY), upcoming)

    def _request(self, seen: Seen[str], kept: Migration | None) -> Request:
        """What a run that was cut off left is brought to its end, and no second one begun."""
        pair = self._pair
        whole = not is_open(all_at_once(pair.current, seen.replicas), seen.replicas)
        return "begin" if whole and pair.next is None and kept is None else "go on"

    def _edit(self, change: str) -> None:
        out = self.replacing.out
        made = fernet.generate(out.name)
        out.record.hide(made)

        def changed(keys: Succession) -> Succession:
            match change:
                case "prepare":
                    return keys.prepared(made)
                case "promote":
                    return keys.promoted()
            return keys.withdrawn()

        out.opening = replace(out.opening, store=out.opening.store.succeed(out.name, changed))
        self.replacing.note(f"store: {change} {out.name}")

    def _act(self, act: Act) -> Migration | None:
        """What is on record then. An act that fails changes that alone: what is due next puts the rows back."""
        name, to = self.replacing.out.name, self._pair.next or ""
        if act == "put back":
            self.why = self.why or CUT_SHORT
        try:
            self._carry_out(row_acts.steps(act, name, self.commands, self._keys, to))
        except StepFailed as error:
            self._failed(act, to, error)
        else:
            said = "" if act == "dump" else self._asked(*row_acts.told(name)).strip()
            self.replacing.note(f"rows: {act}{f': {said[:200]}' if said else ''}")
        return self._recorded()

    def _failed(self, act: Act, to: str, error: StepFailed) -> None:
        if act == "put back":
            what = f"the rows could not be put back, and every replica stands still: {error.what}"
            raise HostFailed(what, where=error.where, remedy=self.replacing.again) from None
        self.why = f"{act} on {error.where}: {error.what.partition(': ')[2] or error.what}"
        self.replacing.out.record.warning(self.why)
        self.visit.look()
        stage: migration.Stage = "put back" if act == "dump" else "failed"  # a dump changes no row
        self._carry_out(row_acts.marked(self.replacing.out.name, to, stage))
        self.replacing.note(f"rows: {act} failed")

    def _end(self, due: Transition, kept: Migration | None) -> None:
        if kept is not None and kept.stage == "put back":
            self.why = self.why or CUT_SHORT
        self._carry_out(row_acts.cleared(self.replacing.out.name))

    def _recorded(self) -> Migration | None:
        return row_acts.parsed(self._asked(*row_acts.recorded(self.replacing.out.name)))

    def _asked(self, *question: str) -> str:
        answers = self.visit.hold.run(line("probe", "asked", *question))
        self.visit.hold.raise_refusal()
        return answers["asked"].output if answers["asked"].status == 0 else ""

    def _carry_out(self, steps: Sequence[Step]) -> None:
        try:
            self.visit.transactions.carry_out(ItemPlan("secrets", (), tuple(steps), enforce=True, armed=False))
        except StepFailed:
            raise
        except HostFailed as error:
            raise HostFailed(error.what, where=error.where, remedy=self.replacing.again) from None
