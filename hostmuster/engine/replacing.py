"""A secret replaced on all replicas at once: they stop, are switched, and start, and only go forward (K5, K6, K7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from hostmuster.engine.opening import Opening
from hostmuster.engine.outage import Outage
from hostmuster.engine.replicas import Seen, units_of
from hostmuster.errors import HostFailed, Refused
from hostmuster.secrets.kinds.kind import Rotation
from hostmuster.secrets.rotation.replica import Content
from hostmuster.secrets.rotation.transition import Done, Edit, Halt, Refresh, Rows, Start, Switch, Transition
from hostmuster.secrets.value import Secret

Turn = Callable[[Secret], Secret]
TRIES: Final = 3
"""So often one step may be due again before it is given up."""


@dataclass
class Replacing:
    """One run's part of it. Where it stands is in the store and on the hosts, and nowhere else."""

    out: Outage
    again: str
    _before: Transition | None = None
    _times: int = 0

    def take(self, due: Transition, seen: Seen[Content]) -> bool:
        """The step, but for edits, rows and waits: the caller's. Whether it was the last. Raises HostFailed."""
        self._times = self._times + 1 if due == self._before and not isinstance(due, Refresh) else 0
        self._before = due
        if self._times == TRIES:
            why = "; ".join(f"{host}: {said}" for host, said in seen.why.items())
            raise HostFailed(f"{due} was taken, and does not show{f' ({why})' if why else ''}", remedy=self.again)
        match due:
            case Halt() | Switch() | Start():
                self.note(self._taken(due))
            case Done(sentence):
                self.out.settle()
                self.note(sentence)
                return True
            case Edit() | Rows() | Refresh():
                pass
            case _:
                raise HostFailed(f"a step that this version does not know is due: {due}")
        return False

    def _taken(self, due: Halt | Switch | Start) -> str:
        """What ends it is the same command, and never a rollout or an apply, whatever failed."""
        acts = {Halt: self.out.halt, Switch: self.out.switch, Start: self.out.start}
        try:
            return acts[type(due)]()
        except HostFailed as error:
            raise HostFailed(error.what, where=error.where, remedy=self.again) from None

    def edit(self, name: str, made: Secret | None, turn: Turn) -> None:
        """The store's value turned into another one, and that one in use by what follows."""
        if made is not None:
            self.out.record.hide(made)
        store = self.out.opening.store.turn(name, turn)
        self.out.opening = replace(self.out.opening, store=store)

    def note(self, what: str) -> None:
        """A step that was taken."""
        self.out.record.step(self.out.name, what)

    def document(self) -> dict[str, object]:
        """`outage_s` is missing where nothing stood still, or another run was cut off before it could tell."""
        steps = self.out.record.steps
        told = {"secret": self.out.name, "steps": steps, "stands": steps[-1]["step"], **self.out.record.told}
        return {"fleet": self.out.opening.fleet.name, **told}


def question(opening: Opening) -> dict[str, object]:
    """What whoever confirms it is to see: whether a typed name is asked for, and what stops, by host."""
    name = opening.job.secret or ""
    opening.store.value(name)
    hosts = {host.name: list(units_of(host, name)) for host in opening.hosts}
    return {"lab": opening.fleet.lab, "kind": opening.store.entries[name].kind.name, "hosts": hosts}


def way_of(opening: Opening) -> Rotation | None:
    """How the secret that is to be rotated is replaced; None where there is none, or the job is another one."""
    one = opening.store.entries.get(opening.job.secret or "")
    return one.kind.rotation if one is not None and opening.job.request == "rotate" else None


def require_confirmed(opening: Opening, name: str) -> None:
    """Raises Refused where the outage of a fleet that is no lab was not confirmed."""
    if not opening.fleet.lab and opening.job.confirm != name:
        what = "it is no lab and this is an outage, so the secret's name is to be typed"
        raise Refused(what, where=name, remedy=f"at a terminal, or with --confirm {name}")
