"""What the planners are told of a replica, and what is true of several."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from hostmuster.errors import Refused

Content = TypeVar("Content")
"""What a generation holds of one secret: a ring's kids, or a value's fingerprint."""


@dataclass(frozen=True)
class Replica(Generic[Content]):
    """One process that uses the secret, as its host and it itself tell.

    `disk`: what its next start takes, crash or not. `running`: what the process was seen to use, by what it does
    (JWKS, a token), not by files; None where none runs, or it is left out of service until it caught up. `for_s`:
    seconds it has used that, by the host's own clock. `held`: stopped by us, and stays so over a boot. An unreachable
    one is told as it was last seen.
    """

    name: str
    disk: Content | None
    running: Content | None
    for_s: float = 0
    reachable: bool = True
    held: bool = False

    def has(self, content: Content) -> bool:
        """Whether it is proved to use this, and goes on with it after a restart."""
        return self.disk == content and self.running == content


def taking_part(replicas: Sequence[Replica[Content]], excluded: Collection[str]) -> list[Replica[Content]]:
    """The replicas a step is for: those not excluded by name.

    An excluded one must not serve: ingress and peers leave it out, and its start gate keeps it out until it caught
    up. Raises Refused for an excluded name that there is not, and for a replica that cannot be asked.
    """
    names = [replica.name for replica in replicas]
    if unknown := [name for name in excluded if name not in names]:
        raise Refused(f"no replica is named {unknown[0]}", where="--exclude", remedy=f"there are: {', '.join(names)}")
    rest = [replica for replica in replicas if replica.name not in excluded]
    for replica in rest:
        if not replica.reachable:
            raise Refused(
                "cannot be reached, so nobody knows what it serves",
                where=replica.name,
                remedy="bring it back, or exclude it by name: it is left out of service first",
            )
    if not rest:
        raise Refused("no replica is left", where="--exclude", remedy="one at least has to serve")
    return rest


def named(replicas: Sequence[Replica[Content]]) -> tuple[str, ...]:
    """Their names, in the order given."""
    return tuple(replica.name for replica in replicas)
