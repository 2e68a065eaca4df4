"""The rotation of a signing key: published everywhere, proved, signing everywhere, proved, and the old one retired.

The document this follows fills the ring and switches the signer in one rolling update; a replica not yet updated
then rejects the new tokens. Here every replica verifies the next key before the first one signs with it (K4).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from hostmuster.errors import Refused
from hostmuster.secrets.ring import Serves
from hostmuster.secrets.rotation.keys import Consumer, Kids
from hostmuster.secrets.rotation.replica import Replica, taking_part
from hostmuster.secrets.rotation.rollout import all_at_once, one_by_one
from hostmuster.secrets.rotation.transition import Done, Edit, Halt, Refresh, Restart, Start, Switch, Transition, Wait

Request = Literal["rotate", "promote", "retire"]


def next_step(
    request: Request,
    store: Kids,
    replicas: Sequence[Replica[Serves]],
    token_life_s: float,
    excluded: Collection[str] = (),
    consumers: Sequence[Consumer] = (),
) -> Transition:
    """The step that is due for what was asked.

    Invariant: at no time does a replica sign with a key that another one cannot verify, nor does one stop verifying
    a key before the last token of it has ended. It holds in every state that these steps lead through, with any of
    them cut short anywhere, replicas that crash and restart, and hosts that die and come back behind their start gate.

    `token_life_s` is counted from the last replica's switch, so a retirement needs every replica's answer. Raises
    Refused (exit code 3): a second rotation while one is open, a promotion before every replica is proved to verify
    the key and every one of the `consumers` to know it, a retirement with a replica excluded or not proved, and
    whatever `taking_part` and `one_by_one` refuse.
    """
    if store.revoked:
        raise _refused(f"a revocation is open: {', '.join(sorted(store.revoked))}", "secrets.revoke again ends it")
    here = taking_part(replicas, excluded)
    rollout = one_by_one(store.served, here, Serves.suits)
    if store.next is not None:
        return _to_be_promoted(request, store.next, rollout or _refresh(store.next, consumers))
    if store.previous:
        return _to_be_retired(request, store, here, rollout, token_life_s, excluded)
    return _idle(request, store, rollout)


def revoke_step(
    kid: str,
    store: Kids,
    replicas: Sequence[Replica[Serves]],
    excluded: Collection[str] = (),
    consumers: Sequence[Consumer] = (),
) -> Edit | Halt | Switch | Start | Refresh | Done:
    """The step that is due to take a key out of every replica at once (K5): an outage, and only forward.

    Invariant: once a replica serves without the key, none serves with it. The store keeps the key as revoked until
    that is proved, so nothing else begins before. Raises Refused as `taking_part` does.
    """
    here = taking_part(replicas, excluded)
    if kid in store.served.verifies:
        return Edit("revoke", (kid,))
    if due := all_at_once(store.served, here):
        return due
    if stale := tuple(consumer.name for consumer in consumers if store.revoked & consumer.verifies):
        return Refresh(stale)
    if store.revoked:
        return Edit("forget", tuple(sorted(store.revoked)))
    return Done(f"{kid} is gone from every replica; its tokens fail everywhere")


def _idle(request: Request, store: Kids, rollout: Switch | Restart | None) -> Transition:
    if request == "retire":
        return rollout or Done(f"{store.current} signs; no other key verifies")
    if request == "promote":
        raise _refused("no rotation is open", "secrets.rotate begins one")
    if rollout:
        raise _refused(
            f"the rotation before is not over: {_whom(rollout)} not on the store's state yet", "secrets.retire ends it"
        )
    return Edit("publish")


def _refresh(upcoming: str, consumers: Sequence[Consumer]) -> Refresh | None:
    """Asked once every replica publishes the key: a copy read before may lack it."""
    without = tuple(consumer.name for consumer in consumers if upcoming not in consumer.verifies)
    return Refresh(without) if without else None


def _to_be_promoted(request: Request, upcoming: str, due: Switch | Restart | Refresh | None) -> Transition:
    match request:
        case "rotate":
            return due or Done(f"{upcoming} is verified by every replica; secrets.promote makes it sign")
        case "promote" if due:
            raise _refused(
                f"{upcoming} is not proved everywhere: {_whom(due)} not seen to verify it",
                "secrets.rotate again goes on with publishing it",
            )
        case "promote":
            return Edit("promote", (upcoming,))
    raise _refused(f"{upcoming} does not sign yet", "secrets.promote comes before secrets.retire")


def _to_be_retired(
    request: Request,
    store: Kids,
    here: Sequence[Replica[Serves]],
    rollout: Switch | Restart | None,
    token_life_s: float,
    excluded: Collection[str],
) -> Transition:
    old = ", ".join(sorted(store.previous))
    if request == "rotate":
        raise _refused(f"a rotation is open: tokens of {old} may live", "secrets.retire comes first")
    if request == "promote":
        return rollout or Done(f"{store.current} signs on every replica; {old} goes when its last token has ended")
    if rollout:
        raise _refused(
            f"{store.current} is not proved to sign on every replica: {_whom(rollout)} not seen to do so",
            "secrets.promote again goes on with it",
        )
    if excluded:
        raise _refused(
            f"when {', '.join(sorted(excluded))} last signed with {old} is not known",
            "bring it back, or take it out of the fleet (offboard)",
        )
    left = token_life_s - min(replica.for_s for replica in here)
    return Wait(left) if left > 0 else Edit("retire", tuple(sorted(store.previous)))


def _whom(due: Switch | Restart | Refresh) -> str:
    match due:
        case Switch(hosts) | Refresh(hosts):
            pass
        case Restart(host):
            hosts = (host,)
    return f"{', '.join(hosts)} {'is' if len(hosts) == 1 else 'are'}"


def _refused(what: str, remedy: str) -> Refused:
    return Refused(what, where="rotation", remedy=remedy)
