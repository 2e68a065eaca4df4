"""A key revoked, a credential swapped: all replicas stop, are switched, and start, and only go forward (K5, K7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from hostmuster.engine.consumers import Copies
from hostmuster.engine.opening import Opening
from hostmuster.engine.outage import Outage, outage
from hostmuster.engine.record import Record
from hostmuster.engine.replicas import Seen, look, look_at_value, units_of
from hostmuster.engine.rotation import issuer_of
from hostmuster.errors import HostFailed, Refused
from hostmuster.secrets import ring_text, rsa_key
from hostmuster.secrets.kinds.kind import Rotation
from hostmuster.secrets.ring import Ring, RingKey
from hostmuster.secrets.rotation import replacement
from hostmuster.secrets.rotation.keys import Kids
from hostmuster.secrets.rotation.replica import Content
from hostmuster.secrets.rotation.rollout import all_at_once, is_open
from hostmuster.secrets.rotation.signing_ring import revoke_step
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


def revoke(opening: Opening, record: Record) -> dict[str, object]:
    """A key out of every replica at once; what it signed is refused by each of them afterwards.

    Raises Refused, nothing touched: without the typed name, for a key that the ring has not, while a host cannot be
    reached or has more to come than this. Raises HostFailed in the middle; typed again it goes on from there.
    """
    name = opening.job.secret or ""
    issuer = issuer_of(opening, name)
    require_confirmed(opening, name)
    with outage(opening, record, name) as out:
        key = _key(_ring(out.opening, name), opening.job.kid)
        replacing = Replacing(out, f"see to that, then: hostmuster secrets.revoke {name}")
        copies = Copies(out.opening, record, name, f"hostmuster secrets.revoke {name}")
        out.require_nothing_else()
        with record.forward(replacing.again):
            while True:
                ring, seen = _ring(out.opening, name), look(out.opening, name, issuer)
                known = copies.seen(ring, seen.excluded)
                due = revoke_step(key.word, Kids.of(ring), seen.replicas, seen.excluded, known)
                if replacing.take(due, seen):
                    break
                if isinstance(due, Refresh):
                    copies.wait(due.consumers)
                if isinstance(due, Edit):
                    _edit_ring(replacing, name, due, key.kid)
    return replacing.document()


def swap(opening: Opening, record: Record) -> dict[str, object]:
    """A new value of a credential that two sides hold: on all of them at once. Raises as revoke, and InputError for a
    value given that its kind refuses."""
    name = opening.job.secret or ""
    made = _new_value(opening, name)
    require_confirmed(opening, name)
    with outage(opening, record, name) as out:
        replacing = Replacing(out, f"see to that, then: hostmuster secrets.rotate {name}")
        out.require_nothing_else()
        with record.forward(replacing.again):
            _swap(replacing, name, made)
    return replacing.document()


def _new_value(opening: Opening, name: str) -> Secret:
    """Made here, or by whoever keeps what the secret leads to: then it was given."""
    kind, given = opening.store.entries[name].kind, opening.job.value
    if kind.generate is not None:
        return kind.generate(name)
    if given is None:
        remedy = "give it on standard input, or at the prompt"
        raise Refused(f"a secret of kind {kind.name} is not generated", where=name, remedy=remedy)
    return kind.check(Secret(given.get_secret_value()), name).value


def _swap(replacing: Replacing, name: str, made: Secret) -> None:
    out = replacing.out
    request: replacement.Request | None = None
    while True:
        seen, digits = look_at_value(out.opening, name), out.digits
        if request is None:
            # What a run that was cut off left is brought to its end, and no second one begun.
            here = [one for one in seen.replicas if one.name not in seen.excluded]
            whole = not is_open(all_at_once(digits, here), here)
            request = "begin" if whole else "go on"
            if not whole:
                out.record.warning(f"not every service is seen to use {name} as the store has it: no new value is made")
                _require_the_same(out.opening, name, made)
        due = replacement.next_step(request, "swap", digits, seen.replicas, seen.excluded)
        if replacing.take(due, seen):
            return
        if isinstance(due, Edit):
            request = "go on"
            _replace(replacing, name, made)


def _require_the_same(opening: Opening, name: str, made: Secret) -> None:
    """What was given is what the store has already, where a replacement is open: else it would be taken for done."""
    if opening.store.entries[name].kind.generate is None and made != opening.store.value(name):
        remedy = f"end it first, with the value that secrets.show {name} shows"
        raise Refused("another replacement is open", where=name, remedy=remedy)


def _replace(replacing: Replacing, name: str, made: Secret) -> None:
    replacing.edit(name, made, lambda _value: made)
    replacing.note(f"store: replace {name}")


def _edit_ring(replacing: Replacing, name: str, due: Edit, kid: str) -> None:
    fresh = rsa_key.generate() if due.change == "revoke" else None

    def turned(value: Secret) -> Secret:
        ring = ring_text.parsed(value.text(), name)
        after = ring.without(kid, RingKey(ring.next_kid, fresh)) if fresh else ring.forgotten()
        return ring_text.written(after)

    replacing.edit(name, fresh, turned)
    replacing.note(f"store: {due.change} {kid}")


def _key(ring: Ring, kid: str | None) -> RingKey:
    """The key by its kid; without one that which is being revoked already, else that which signs."""
    if kid is None:
        return ring.revoked[0] if ring.revoked else ring.current
    for key in ring.keys:
        if key.kid == kid:
            return key
    raise Refused(f"no key `{kid}`", where="--kid", remedy=f"the ring has: {', '.join(key.kid for key in ring.keys)}")


def _ring(opening: Opening, name: str) -> Ring:
    return ring_text.parsed(opening.store.value(name).text(), name)


def require_confirmed(opening: Opening, name: str) -> None:
    """Raises Refused where the outage of a fleet that is no lab was not confirmed."""
    if not opening.fleet.lab and opening.job.confirm != name:
        what = "it is no lab and this is an outage, so the secret's name is to be typed"
        raise Refused(what, where=name, remedy=f"at a terminal, or with --confirm {name}")
