"""A ring of 2 to 4 replicas turns, and nothing that can happen on the way makes a token fail.

Every state is visited that any order of switches, interruptions, crashes, power losses and cuts leads to, with the
planner asked for anything at any moment. The larger worlds are in tests/drills/rotation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from hostmuster.secrets.rotation import gate
from hostmuster.secrets.rotation.keys import Kids
from hostmuster.secrets.rotation.transition import Edit, Restart, Switch, Transition

from . import ring_moves
from .exploration import explored
from .ring_moves import accidents, plan
from .ring_world import LIFE, World, ideal, violation

STEPS = ("rotate", "promote", "retire")


def moves(
    requests: tuple[str, ...], changes: int, spared: tuple[str, ...] = ()
) -> Callable[[World], Iterator[tuple[str, World]]]:
    """All that can happen, up to so many changes of the store; without the accidents that a world is spared."""

    def possible(world: World) -> Iterator[tuple[str, World]]:
        for request in requests:
            yield from ((name, then) for name, then in plan(world, request) if len(then.rings) <= changes + 1)
        yield from ((name, then) for name, then in accidents(world) if not name.startswith(spared))

    return possible


def turned(world: World) -> bool:
    """A rotation is over on every replica."""
    return world.rings[-1] == Kids("k-2") and all(one.running == 3 and one.serves for one in world.machines)


@pytest.mark.parametrize(
    ("replicas", "changes", "spared"),
    [(2, 4, ()), (3, 3, ("cut off",)), (4, 3, ("cut off", "power loss"))],
    ids=["2 replicas and the next rotation", "3 replicas, one loses power", "4 replicas, any of them crashes"],
)
def test_no_token_fails_in_any_state_of_a_rotation(replicas: int, changes: int, spared: tuple[str, ...]) -> None:
    seen = explored(ideal(replicas), moves(STEPS, changes, spared), violation)
    assert any(turned(world) for world in seen)
    assert any(len({one.running for one in world.machines}) == 2 for world in seen)


def test_a_consumer_of_the_published_keys_never_meets_one_it_does_not_know() -> None:
    seen = explored(ideal(2, consumer=True), moves(STEPS, 3), violation)
    assert any(turned(world) for world in seen)


def test_a_revoked_key_is_gone_from_all_replicas_before_one_serves_without_it() -> None:
    seen = explored(ideal(2), moves((*STEPS, "revoke"), 4, ("cut off",)), violation)
    over = [world for world in seen if world.revoked and not world.rings[-1].revoked]
    gone = [world for world in over if {world.rings[one.running].served for one in world.machines if one.serves}
            == {world.rings[-1].served}]  # fmt: skip
    assert {len(world.rings) for world in gone} == {3, 4, 5}  # begun when idle, published and promoted


def test_it_goes_on_from_every_state_once_all_hosts_are_back() -> None:
    """Whoever takes over, from any clone: the same requests end the rotation."""
    for world in explored(ideal(2), moves(STEPS, 3), violation):
        world = replace(world, machines=tuple(replace(one, reachable=True) for one in world.machines))
        for request in STEPS:
            world = driven(world, request)
        assert world.rings[-1].previous == frozenset()
        assert world.rings[-1].next is None
        assert all(one.serves and one.running == len(world.rings) - 1 for one in world.machines)


def driven(world: World, request: str) -> World:
    """To the end of what was asked, waiting as it must."""
    for _ in range(100):
        ways = [*plan(world, request), *(move for move in accidents(world) if move[0] == "tick")]
        then = next((then for _, then in ways if then != world), None)
        if then is None:
            return world
        world = then
    raise AssertionError(f"{request} does not end: {world}")


Planner = Callable[[World, str, tuple[str, ...]], Transition | None]


def of_the_document(world: World, request: str, _excluded: tuple[str, ...]) -> Transition | None:
    """Each replica in turn gets a ring with the old key and signs with the new one at once."""
    if len(world.rings) == 1:
        return Edit("publish")
    if len(world.rings) == 2:
        return Edit("promote")
    return rolling(world)


def without_proof(world: World, request: str, _excluded: tuple[str, ...]) -> Transition | None:
    """The files are everywhere, so it promotes; a process may run with the ring before."""
    published = all(one.disk == len(world.rings) - 1 for one in world.machines)
    if len(world.rings) == 2 and published and request == "promote":
        return Edit("promote")
    return rolling(world) if len(world.rings) == 3 else REAL(world, request, ())


def without_waiting(world: World, request: str, _excluded: tuple[str, ...]) -> Transition | None:
    rested = tuple(replace(one, for_s=LIFE) for one in world.machines)
    return REAL(replace(world, machines=rested), request, ())


def blind_to_the_absent(world: World, request: str, _excluded: tuple[str, ...]) -> Transition | None:
    """It takes one that does not answer for one that is as it should be."""
    newest = len(world.rings) - 1
    hoped = tuple(one if one.reachable else replace(one, reachable=True, disk=newest, running=newest, for_s=LIFE)
                  for one in world.machines)  # fmt: skip
    return REAL(replace(world, machines=hoped), request, ())


def rolling(world: World) -> Transition | None:
    newest = len(world.rings) - 1
    for place, one in enumerate(world.machines):
        if one.reachable and one.disk != newest:
            return Switch((str(place),))
        if one.reachable and one.running != newest:
            return Restart(str(place))
    return None


REAL = ring_moves.asked


@pytest.mark.parametrize(
    ("planner", "said"),
    [
        (of_the_document, "signs with|do not verify|does not verify"),
        (without_proof, "does not verify|cannot verify"),
        (without_waiting, "tokens of {'k-1'} live"),
        (blind_to_the_absent, "does not verify|cannot verify"),
    ],
)
def test_a_wrong_planner_is_found_out(planner: Planner, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The world can fail: the document's own procedure does, and so does each shortcut of ours."""
    monkeypatch.setattr(ring_moves, "asked", planner)
    with pytest.raises(AssertionError, match=said):
        explored(ideal(2), moves(STEPS, 3), violation)


def test_without_the_start_gate_a_host_that_comes_back_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "obstacle", lambda own, peers: None)
    monkeypatch.setattr(ring_moves, "started", lambda world, place, one: replace(one, running=one.disk, out=False))
    with pytest.raises(AssertionError, match=r"does not verify|cannot verify"):
        explored(ideal(2), moves(STEPS, 3), violation)
