"""How the store's state comes to all replicas: one after another, or all at once with an outage."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hostmuster.errors import Refused
from hostmuster.secrets.rotation.replica import Content, Replica, named
from hostmuster.secrets.rotation.transition import Halt, Restart, Start, Switch


def one_by_one(
    target: Content,
    replicas: Sequence[Replica[Content]],
    suits: Callable[[Content, Content], bool] = lambda _one, _other: True,
) -> Switch | Restart | None:
    """The next step towards the target without an outage; None once every replica is proved to use it.

    Invariant: what replicas run and what their next starts take suits the target, pair by pair, at every instant,
    however few of the hosts have been switched and whichever of them crashes. One that serves nothing may be further
    behind: its start gate keeps it so until it caught up. Raises Refused where a step was left out.
    """
    for replica in replicas:
        for content in (replica.disk, replica.running):
            if content is not None and replica.running is not None and not suits(content, target):
                raise Refused(
                    "what it has and what the store says must not serve together: a step was left out",
                    where=replica.name,
                    remedy="put the store back to what the hosts have (git), then go on step by step",
                )
    if behind := [replica for replica in replicas if replica.disk != target]:
        return Switch(named(behind))
    for replica in replicas:
        if replica.running != target:
            return Restart(replica.name)
    return None


def all_at_once(target: Content, replicas: Sequence[Replica[Content]]) -> Halt | Switch | Start | None:
    """The next step towards a target that suits nothing else; None once every replica is proved to use it.

    Invariant: no replica serves the target while another serves anything else. So all are stopped, and held so over
    a boot, before the first host is switched; none starts before the last one is.
    """
    if all(replica.has(target) and not replica.held for replica in replicas):
        return None
    settled = all(replica.disk == target for replica in replicas)
    if settled and all(replica.held or replica.running in (target, None) for replica in replicas):
        return Start(named([replica for replica in replicas if replica.held or replica.running is None]))
    if serving := [replica for replica in replicas if not replica.held]:
        return Halt(named(serving))
    return Switch(named([replica for replica in replicas if replica.disk != target]))


def is_open(due: Halt | Switch | Start | None, replicas: Sequence[Replica[Content]]) -> bool:
    """Whether what `all_at_once` has due is left of an earlier replacement.

    A service that is down by itself, and was not halted for one, is none: it may be down for the value that it has.
    """
    return due is not None and not (isinstance(due, Start) and not any(replica.held for replica in replicas))
