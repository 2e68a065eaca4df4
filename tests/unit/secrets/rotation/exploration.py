"""Visits every state that can be reached from one: what a planner must never lead into is looked for in all of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

State = TypeVar("State", bound=Hashable)


def explored(
    start: State,
    moves: Callable[[State], Iterable[tuple[str, State]]],
    violation: Callable[[State], str | None],
) -> set[State]:
    """All states. Raises AssertionError, with the shortest way there, for the first that violates an invariant."""
    came_from: dict[State, tuple[str, State] | None] = {start: None}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        if wrong := violation(state):
            raise AssertionError(f"{wrong}\n" + "\n".join(_way_to(state, came_from)))
        for move, then in moves(state):
            if then not in came_from:
                came_from[then] = (move, state)
                queue.append(then)
    return set(came_from)


def _way_to(state: State, came_from: dict[State, tuple[str, State] | None]) -> list[str]:
    way: list[str] = [str(state)]
    while (step := came_from[state]) is not None:
        move, state = step
        way.append(move)
    return way[::-1]
