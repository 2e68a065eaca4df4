"""Hosts with a ring of keys as a rotation finds them: what each has and runs with, and what must hold among them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from hostmuster.secrets.ring import Serves
from hostmuster.secrets.rotation.keys import Kids
from hostmuster.secrets.rotation.replica import Replica

LIFE = 2
"""Ticks that a token lives."""


@dataclass(frozen=True, order=True)
class Machine:
    """`disk`: the number of its generation; `running`: that which its process started with, -1 for none.

    `out`: left out of service until it caught up; `held`: stopped by us.
    """

    disk: int = 0
    running: int = 0
    for_s: int = LIFE
    reachable: bool = True
    out: bool = False
    held: bool = False

    @property
    def serves(self) -> bool:
        return self.running >= 0 and not self.out


@dataclass(frozen=True)
class World:
    """`rings`: the store's at each generation, the last is its head. `ages`: ticks since a kid last signed."""

    rings: tuple[Kids, ...]
    machines: tuple[Machine, ...]
    ages: tuple[tuple[str, int], ...] = ()
    consumer: frozenset[str] | None = None
    revoked: str = ""

    def after(self, **changes: object) -> World:
        """Replicas are alike, so their order says nothing; whoever serves has just signed. How long one has used
        a ring counts only while a key is to retire; a kid whose tokens have all ended is forgotten."""
        then = replace(self, **changes)  # type: ignore[arg-type]
        signing = {then.rings[one.running].current for one in then.machines if one.serves}
        ages = {kid: age for kid, age in then.ages if age < LIFE} | dict.fromkeys(signing, 0)
        timed = bool(then.rings[-1].previous)
        machines = sorted(one if timed or one.for_s == LIFE else replace(one, for_s=LIFE) for one in then.machines)
        return replace(then, machines=tuple(machines), ages=tuple(sorted(ages.items())))

    def replicas(self) -> tuple[Replica[Serves], ...]:
        return tuple(
            Replica(
                str(place),
                served(self.rings[one.disk]),
                served(self.rings[one.running]) if one.serves else None,
                one.for_s,
                one.reachable,
                one.held,
            )
            for place, one in enumerate(self.machines)
        )

    def with_machine(self, place: int, machine: Machine) -> tuple[Machine, ...]:
        return (*self.machines[:place], machine, *self.machines[place + 1 :])


@cache
def served(ring: Kids) -> Serves:
    return ring.served


def ideal(replicas: int, consumer: bool = False) -> World:
    """One key, used by all, long since."""
    world = World((Kids("k-1"),), tuple(Machine() for _ in range(replicas)))
    return world.after(consumer=frozenset({"k-1"}) if consumer else None)


def violation(world: World) -> str | None:
    """The two halves of the planner's invariant, and that of a revocation."""
    serving = [world.rings[one.running] for one in world.machines if one.serves]
    alive = {kid for kid, age in world.ages if age < LIFE}
    for ring in serving:
        if lacking := alive - {world.revoked} - served(ring).verifies:
            return f"tokens of {lacking} live, and a replica does not verify them"
    signing = {ring.current for ring in serving}
    if world.consumer is not None and not world.revoked and not signing <= world.consumer:
        return f"a consumer does not verify what {signing - world.consumer} signs"
    if any(not signing <= served(ring).verifies for ring in serving):
        return "a replica signs with a key that another one cannot verify"
    without = [world.revoked not in served(ring).verifies for ring in serving]
    if world.revoked and any(without) and not all(without):
        return "the revoked key is gone from one replica and not from another"
    return None
