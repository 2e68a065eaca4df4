"""A signing key is turned while its service serves: the planner says which step is due, and this takes it (K4)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import gevent

from hostmuster.engine.consumers import Copies
from hostmuster.engine.exclusion import require_silent
from hostmuster.engine.opening import Opening
from hostmuster.engine.preflight import require_shared
from hostmuster.engine.record import Record
from hostmuster.engine.replicas import Seen, look, units_of
from hostmuster.engine.rollout import restart, rollout
from hostmuster.errors import HostFailed, Refused
from hostmuster.secrets import ring_text, rsa_key
from hostmuster.secrets.issuer import Issuer
from hostmuster.secrets.preflight.token_life import of_issuer
from hostmuster.secrets.reader import issuers_of
from hostmuster.secrets.ring import Ring, RingKey, Serves
from hostmuster.secrets.rotation.keys import Kids
from hostmuster.secrets.rotation.signing_ring import Request, next_step
from hostmuster.secrets.rotation.transition import Done, Edit, Refresh, Restart, Switch, Transition, Wait
from hostmuster.secrets.value import Secret

THROUGH: tuple[Request, ...] = ("rotate", "promote", "retire")
TRIES = 3
"""So often one step may be due again before it is given up: each time a replica did not show what it should."""
EVERY_S = 1.0
BAR = 20
"""Signs of the bar that fills while the last tokens end."""


@dataclass
class Rotation:
    """One run's part of a rotation. Where it stands is in the store and on the hosts, and nowhere else."""

    opening: Opening
    record: Record
    name: str
    issuer: Issuer
    _rolled: bool = field(default=False, init=False)

    def bring(self, request: Request, *, waits: bool) -> str:
        """Takes every step that is due for the request; how things stand then.

        Raises Refused as the planner does, and for a retirement before the last token has ended unless it `waits`;
        HostFailed where a step does not show on the replicas.
        """
        again = 0
        before: Transition | None = None
        copies = Copies(self.opening, self.record, self.name, f"secrets.{request} {self.name}")
        while True:
            seen = look(self.opening, self.name, self.issuer)
            known = copies.seen(self.ring, seen.excluded)
            due = next_step(request, Kids.of(self.ring), seen.replicas, self.token_life_s, seen.excluded, known)
            again = again + 1 if due == before and not isinstance(due, Refresh) else 0
            before = due
            if again == TRIES:
                raise HostFailed(_unshown(due, seen), remedy=f"see to that, then the same again: secrets.{request}")
            match due:
                case Refresh(stale):
                    copies.wait(stale)
                case Done(sentence):
                    if known and request == "rotate":
                        self._note(f"known to {', '.join(one.name for one in known)}")
                    self._note(sentence)
                    return sentence
                case Wait(seconds) if waits:
                    self._wait(seconds)
                case Wait(seconds):
                    what = f"tokens of the key that retires may live for {seconds:.0f} s more"
                    raise Refused(what, where=self.name, remedy="wait so long, or --through waits")
                case _:
                    self._take(due)

    def left(self) -> tuple[Request, ...]:
        """Of a whole rotation, what one that was cut off has left; no second one is begun before that is over."""
        ring = self.ring
        if ring.next or ring.previous:
            return THROUGH if ring.next else THROUGH[1:]
        served = Kids.of(ring).served
        if all(replica.has(served) for replica in look(self.opening, self.name, self.issuer).replicas):
            return THROUGH
        self.record.warning(f"not every replica is seen to use {self.name} as the store has it: no new key is made")
        return THROUGH[2:]

    @property
    def ring(self) -> Ring:
        """The store's."""
        return ring_text.parsed(self.opening.store.value(self.name).text(), self.name)

    @property
    def token_life_s(self) -> float:
        """The longest life of a token (K4)."""
        return of_issuer(self.opening.fleet, self.issuer)

    def _take(self, due: Transition) -> None:
        match due:
            case Edit(change):
                self._edit(change)
            case Switch(hosts):
                self._roll_out(hosts)
            case Restart() if not self._rolled:
                # A run that was cut off switched them: who got it when is on the hosts, and so are the restarts owed.
                self._roll_out([host.name for host in self.opening.hosts])
            case Restart(host):
                restart(self.opening, self.record, host, self.issuer.unit)
                self._note(f"{self.issuer.unit} restarted on {host}")
            case _:
                raise HostFailed(f"a step that this version does not know is due: {due}")

    def _roll_out(self, hosts: Sequence[str]) -> None:
        told = rollout(self.opening, self.record)
        self._rolled = True
        seen = {"skew_s": told["skew_s"], "hosts": told["hosts"]}
        self._note(f"generation {told['generation']} on {', '.join(hosts)}", **seen)

    def _edit(self, change: str) -> None:
        made = rsa_key.generate() if change == "publish" else None
        if made is not None:
            self.record.hide(made)

        def turned(value: Secret) -> Secret:
            ring = ring_text.parsed(value.text(), self.name)
            return ring_text.written(_turned(ring, change, made))

        store = self.opening.store.turn(self.name, turned)
        self.opening = replace(self.opening, store=store)
        self._note(f"store: {change} {', '.join(sorted(key.kid for key in self.ring.keys))}")

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            bar = "#" * round(BAR * (1 - left / seconds))
            text = f"[{bar:.<{BAR}}] {left:.0f} of {seconds:.0f} s until the last token has ended"
            self.record.phase(self.name, "wait", text)
            gevent.sleep(min(EVERY_S, left))
        self._note(f"waited {seconds:.1f} s for the last token to end")

    def _note(self, what: str, **more: object) -> None:
        self.record.step(self.name, what, **more)


def rotate(opening: Opening, record: Record) -> dict[str, object]:
    """The step of the job, or with `through` all of them to the end.

    Raises as Rotation.bring and require_silent; HostFailed for what is refused after a step was taken.
    """
    name, request = opening.job.secret or "", opening.job.request or "rotate"
    rotation = Rotation(opening, record, name, issuer_of(opening, name))
    _require_all_to_the_end(opening, name)
    require_silent(opening)
    require_shared(opening)  # before the store is touched, and not only by the first rollout
    sentence = ""
    again = f"rotate {name} --through" if opening.job.through else f"{request} {name}"
    with record.forward(f"see to that, then: hostmuster secrets.{again}"):
        for one in rotation.left() if opening.job.through else (request,):
            sentence = rotation.bring(one, waits=opening.job.through)
    told: dict[str, object] = {"secret": name, "steps": record.steps, "stands": sentence}
    return {"fleet": opening.fleet.name, **told, "token_life_s": rotation.token_life_s}


def _require_all_to_the_end(opening: Opening, name: str) -> None:
    """A rotation that would stop before its last step is not begun as a whole one."""
    hosts = map(opening.fleet.hosts.__getitem__, opening.job.exclude)
    if opening.job.through and (out := [host.name for host in hosts if units_of(host, name)]):
        what = f"the old key cannot retire: when {', '.join(out)} last signed with it is not known"
        remedy = f"secrets.rotate and secrets.promote with --exclude; secrets.retire {name} once all are back"
        raise Refused(what, where="--through", remedy=remedy)


def _turned(ring: Ring, change: str, made: Secret | None) -> Ring:
    if made is not None:
        return ring if ring.next else ring.published(RingKey(ring.next_kid, made))
    return ring.promoted() if change == "promote" else ring.retired()


def issuer_of(opening: Opening, name: str) -> Issuer:
    """How the service that signs with a ring is asked. Raises Refused for another secret, or where nobody says."""
    opening.store.value(name)
    kind = opening.store.entries[name].kind.name
    if kind != "rsa-signing-ring":
        remedy = f"give it another value by `secrets.set {name}`, then `secrets.rollout` (docs/rotation.md)"
        raise Refused(f"a secret of kind {kind} is no signing ring, so it has no steps", where=name, remedy=remedy)
    for host in opening.hosts:
        if issuer := issuers_of(host).get(name):
            return issuer
    remedy = "declare under secrets.issuers how its service is asked: a proof comes from what runs"
    raise Refused(f"nobody is declared who signs with {name}", where="settings.secrets", remedy=remedy)


def _unshown(due: Transition, seen: Seen[Serves]) -> str:
    why = "; ".join(f"{host}: {said}" for host, said in seen.why.items())
    return f"{due} was taken, and does not show{f' ({why})' if why else ''}"
