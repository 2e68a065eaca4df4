"""Everything a real fleet does to a rotation, each move as small as the smallest thing that can be cut short.

One host switched, one replica restarted, one change of the store. Nobody remembers a plan: each move asks anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from hostmuster.errors import Refused
from hostmuster.secrets.ring import Ring, RingKey
from hostmuster.secrets.rotation import gate
from hostmuster.secrets.rotation.keys import Consumer, Kids
from hostmuster.secrets.rotation.signing_ring import Request, next_step, revoke_step
from hostmuster.secrets.rotation.transition import Edit, Halt, Refresh, Restart, Start, Switch, Transition
from hostmuster.secrets.value import Secret

from .ring_world import LIFE, Machine, World, served


def asked(world: World, request: Request | str, excluded: tuple[str, ...]) -> Transition | None:
    """The planner's step; None for a refusal."""
    consumers = () if world.consumer is None else (Consumer("runtime", world.consumer),)
    try:
        if request == "revoke":
            return revoke_step("k-1", world.rings[-1], world.replicas(), excluded, consumers)
        if request in ("rotate", "promote", "retire"):
            return next_step(request, world.rings[-1], world.replicas(), LIFE, excluded, consumers)  # type: ignore[arg-type]
    except Refused as refused:
        assert refused.exit_code == 3
        return None
    raise ValueError(request)


def plan(world: World, request: str) -> Iterator[tuple[str, World]]:
    """What may have happened when the planner was asked: each part of its step, alone."""
    away = tuple(str(place) for place, one in enumerate(world.machines) if not one.reachable)
    for excluded in {(), away}:
        # Who is excluded is left out of service before anything else happens.
        machines = tuple(replace(one, out=True) if str(place) in excluded else one
                         for place, one in enumerate(world.machines))  # fmt: skip
        known = replace(world, machines=machines)
        step = asked(known, request, excluded)
        if step is not None:
            for name, then in act(known, step):
                yield f"{request}: {name}" + (f" without {excluded}" if excluded else ""), then


def act(world: World, step: Transition) -> Iterator[tuple[str, World]]:
    """The step on one host; on the others it was cut short."""
    newest = len(world.rings) - 1
    match step:
        case Edit(change):
            revoked = {"revoked": "k-1"} if change == "revoke" else {}
            yield change, world.after(rings=(*world.rings, edited(world.rings[-1], change)), **revoked)
        case Switch(hosts):
            for place in map(int, hosts):
                one = replace(world.machines[place], disk=newest)
                yield f"switch {place}", world.after(machines=world.with_machine(place, one))
        case Restart(host):
            place = int(host)
            one = replace(world.machines[place], running=world.machines[place].disk, for_s=0, out=False, held=False)
            yield f"restart {place}", world.after(machines=world.with_machine(place, one))
        case Halt(hosts):
            for place in map(int, hosts):
                one = replace(world.machines[place], running=-1, held=True)
                yield f"halt {place}", world.after(machines=world.with_machine(place, one))
        case Start(hosts):
            for place in map(int, hosts):
                one = Machine(world.machines[place].disk, world.machines[place].disk, 0)
                yield f"start {place}", world.after(machines=world.with_machine(place, one))
        case Refresh():
            yield "refresh", world.after(consumer=read_anew(world))


@cache
def edited(kids: Kids, change: str) -> Kids:
    """What the ring itself makes of it."""
    upcoming = RingKey(kids.next, NO_KEY) if kids.next else None
    previous, revoked = (
        tuple(RingKey(kid, NO_KEY) for kid in sorted(kids_)) for kids_ in (kids.previous, kids.revoked)
    )
    ring = Ring(RingKey(kids.current, NO_KEY), upcoming, previous, revoked)
    fresh = RingKey(ring.next_kid, NO_KEY)
    then = {
        "publish": ring.published(fresh),
        "promote": ring.promoted(),
        "retire": ring.retired(),
        "revoke": ring.without("k-1", fresh),
        "forget": ring.forgotten(),
    }[change]
    upcoming_kid = then.next.kid if then.next else None
    gone, left = (frozenset(key.kid for key in keys) for keys in (then.previous, then.revoked))
    return Kids(then.current.kid, upcoming_kid, gone, left)


def read_anew(world: World) -> frozenset[str] | None:
    serving = [world.rings[one.running] for one in world.machines if one.serves]
    return served(serving[0]).verifies if serving else world.consumer


def accidents(world: World) -> Iterator[tuple[str, World]]:
    """What happens to hosts by themselves. One of them may be away at a time."""
    everybody_here = all(one.reachable for one in world.machines)
    for place, one in enumerate(world.machines):
        if one.reachable and not one.held and not one.out:
            yield f"crash {place}", world.after(machines=world.with_machine(place, started(world, place, one)))
        if one.reachable and everybody_here:
            dead = replace(one, reachable=False, running=-1)
            yield f"power loss {place}", world.after(machines=world.with_machine(place, dead))
            cut = replace(one, reachable=False)
            yield f"cut off {place}", world.after(machines=world.with_machine(place, cut))
        if not one.reachable:
            back = replace(one, reachable=True)
            if one.running < 0 and not one.held:
                back = started(world, place, back)
            yield f"back {place}", world.after(machines=world.with_machine(place, back))
    yield (
        "tick",
        world.after(
            machines=tuple(replace(one, for_s=min(one.for_s + 1, LIFE)) for one in world.machines),
            ages=tuple((kid, min(age + 1, LIFE)) for kid, age in world.ages),
        ),
    )


def started(world: World, place: int, one: Machine) -> Machine:
    """A start by itself goes through the gate."""
    peers = {str(other): peer.disk if peer.reachable else None
             for other, peer in enumerate(world.machines) if other != place and not peer.out}  # fmt: skip
    if gate.obstacle(one.disk, peers) is None and not one.out:
        return replace(one, running=one.disk, for_s=0)
    return replace(one, running=-1, for_s=0)


NO_KEY = Secret("only kids count here")
