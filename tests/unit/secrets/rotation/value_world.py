"""Hosts with one value that is replaced, and rows that it may encrypt: they crash, lose power and come back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from hostmuster.errors import Refused
from hostmuster.secrets.rotation import gate, migration, replacement
from hostmuster.secrets.rotation.migration import Migration, Pair
from hostmuster.secrets.rotation.replica import Replica
from hostmuster.secrets.rotation.transition import Edit, Halt, Restart, Rows, Start, Switch, Transition

How = Literal["swap", "rolling", "migrate"]


@dataclass(frozen=True, order=True)
class Machine:
    """`disk` and `running` are numbers of generations; -1: none runs. `out`: left out of service."""

    disk: int = 0
    running: int = 0
    reachable: bool = True
    out: bool = False
    held: bool = False

    @property
    def serves(self) -> bool:
        return self.running >= 0 and not self.out


@dataclass(frozen=True)
class World:
    """`values`: the store's at each generation. `upcoming`: the key beside it. `rows`: what encrypts them."""

    how: How
    machines: tuple[Machine, ...]
    values: tuple[str, ...] = ("a",)
    upcoming: str | None = None
    record: Migration | None = None
    rows: str = "a"
    dump: str | None = None

    def after(self, **changes: object) -> World:
        then = replace(self, **changes)  # type: ignore[arg-type]
        return replace(then, machines=tuple(sorted(then.machines)))

    def changed(self, place: int, **changes: object) -> World:
        one = replace(self.machines[place], **changes)  # type: ignore[arg-type]
        return self.after(machines=(*self.machines[:place], one, *self.machines[place + 1 :]))

    def replicas(self) -> list[Replica[str]]:
        return [
            Replica(
                str(place),
                self.values[one.disk],
                self.values[one.running] if one.serves else None,
                reachable=one.reachable,
                held=one.held,
            )
            for place, one in enumerate(self.machines)
        ]


def ideal(how: How, replicas: int) -> World:
    return World(how, tuple(Machine() for _ in range(replicas)))


def violation(world: World) -> str | None:
    serving = {world.values[one.running] for one in world.machines if one.serves}
    if world.how != "rolling" and len(serving) > 1:
        return "two values serve at the same time"
    if world.how == "migrate" and serving and serving != {world.rows}:
        return f"a replica serves with {serving} while the rows are encrypted with {world.rows}"
    if world.how == "migrate" and world.rows == "mixed" and world.dump is None:
        return "the rows were changed before they were dumped"
    if world.rows not in (*world.values, world.upcoming, "mixed"):
        return "the store has not the key that the rows are encrypted with"
    return None


def moves(world: World) -> Iterator[tuple[str, World]]:
    away = tuple(str(place) for place, one in enumerate(world.machines) if not one.reachable)
    for request in ("begin", "go on"):
        for excluded in {(), away}:
            known = world
            for place in map(int, excluded):
                known = replace(known, machines=tuple(replace(one, out=True) if at == place else one
                                                      for at, one in enumerate(known.machines)))  # fmt: skip
            step = asked(known, request, excluded)
            if step is not None:
                yield from ((f"{request}: {name}", then) for name, then in act(known, step))
    yield from accidents(world)


def asked(world: World, request: replacement.Request, excluded: tuple[str, ...]) -> Transition | None:
    try:
        if world.how == "migrate":
            pair = Pair(world.values[-1], world.upcoming)
            return migration.next_step(request, pair, world.replicas(), world.record, declared=True, excluded=excluded)
        return replacement.next_step(request, world.how, world.values[-1], world.replicas(), excluded)
    except Refused:
        return None


def act(world: World, step: Transition) -> Iterator[tuple[str, World]]:
    """Each part of the step alone."""
    newest = len(world.values) - 1
    match step:
        case Edit("replace"):
            if newest < 2:
                yield "replace", world.after(values=(*world.values, "abc"[newest + 1]))
        case Edit("prepare"):
            if newest < 1 and world.record is None:
                yield "prepare", world.after(upcoming="b")
        case Edit("promote", (key,)):
            yield "promote", world.after(values=(*world.values, key), upcoming=None)
        case Edit("withdraw"):
            yield "withdraw", world.after(upcoming=None)
        case Switch(hosts):
            yield from ((f"switch {at}", world.changed(int(at), disk=newest)) for at in hosts)
        case Restart(host):
            disk = world.machines[int(host)].disk
            yield f"restart {host}", world.changed(int(host), running=disk, out=False, held=False)
        case Halt(hosts):
            yield from ((f"halt {at}", world.changed(int(at), running=-1, held=True)) for at in hosts)
        case Start(hosts):
            for at in map(int, hosts):
                yield f"start {at}", world.changed(at, running=world.machines[at].disk, out=False, held=False)
        case Rows(what):
            yield from done_to_rows(world, what)


def done_to_rows(world: World, act: str) -> Iterator[tuple[str, World]]:
    upcoming = world.upcoming
    assert upcoming is not None
    match act:
        case "dump":
            yield act, world.after(dump=world.rows, record=Migration(upcoming, "dumped"))
        case "migrate":
            yield "migrate, cut short", world.after(rows="mixed", record=Migration(upcoming, "migrating"))
            yield act, world.after(rows=upcoming, record=Migration(upcoming, "migrated"))
        case "prove":
            yield act, world.after(record=Migration(upcoming, "proved"))
            yield "prove, and a row does not open", world.after(record=Migration(upcoming, "failed"))
        case "put back":
            yield act, world.after(rows=world.dump, record=Migration(upcoming, "put back"))


def accidents(world: World) -> Iterator[tuple[str, World]]:
    for place, one in enumerate(world.machines):
        if one.reachable and not one.held and not one.out:
            yield f"crash {place}", started(world, place)
        if one.reachable and all(other.reachable for other in world.machines):
            yield f"power loss {place}", world.changed(place, reachable=False, running=-1)
            yield f"cut off {place}", world.changed(place, reachable=False)
        if not one.reachable:
            back = world.changed(place, reachable=True)
            at = back.machines.index(replace(one, reachable=True))
            yield f"back {place}", started(back, at) if one.running < 0 and not one.held else back


def started(world: World, place: int) -> World:
    """A start by itself goes through the gate."""
    one = world.machines[place]
    peers = {str(at): other.disk if other.reachable else None
             for at, other in enumerate(world.machines) if at != place and not other.out}  # fmt: skip
    allowed = not one.out and gate.obstacle(one.disk, peers) is None
    return world.changed(place, running=one.disk if allowed else -1)
