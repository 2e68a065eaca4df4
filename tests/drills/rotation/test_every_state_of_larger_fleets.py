"""The worlds of tests/unit/secrets/rotation that take minutes: all accidents with 3 replicas, power losses with 4."""

from __future__ import annotations

import pytest

from tests.unit.secrets.rotation.exploration import explored
from tests.unit.secrets.rotation.ring_world import ideal, violation
from tests.unit.secrets.rotation.test_ring_in_every_state import STEPS, moves, turned


@pytest.mark.parametrize(
    ("replicas", "spared"),
    [(3, ()), (4, ("cut off",))],
    ids=["3 replicas, one is cut off or loses power", "4 replicas, one loses power"],
)
def test_no_token_fails_in_any_state_of_a_rotation(replicas: int, spared: tuple[str, ...]) -> None:
    seen = explored(ideal(replicas), moves(STEPS, 3, spared), violation)
    assert any(turned(world) for world in seen)


def test_a_key_of_three_replicas_is_revoked_before_and_after_the_next_is_published() -> None:
    seen = explored(ideal(3), moves(("rotate", "revoke"), 3, ("cut off",)), violation)
    assert any(world.revoked and not world.rings[-1].revoked for world in seen)
