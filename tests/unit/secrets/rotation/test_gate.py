"""Whether a replica that starts may serve: never with an older generation than its peers, never cut off."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hostmuster.secrets.rotation import gate


@pytest.mark.parametrize(
    ("own", "peers"),
    [
        (7, {"b": 7, "c": 7}),
        (8, {"b": 7, "c": 7}),  # the first of a switch
        (7, {"b": 7, "c": None}),  # one dead host never stops the others
        (7, {}),  # the only host there is
        (1, {"b": None, "c": 1}),
    ],
)
def test_it_serves(own: int, peers: Mapping[str, int | None]) -> None:
    assert gate.obstacle(own, peers) is None


@pytest.mark.parametrize(
    ("own", "peers", "said"),
    [
        (7, {"b": 8, "c": 7}, "it has generation 7, b has 8"),
        (6, {"b": 8, "c": None}, "it has generation 6, b has 8"),
        (7, {"b": None, "c": None}, "none of its peers answers (b, c)"),
        (None, {"b": 7}, "no generation of secrets yet"),
        (None, {}, "no generation of secrets yet"),
    ],
)
def test_it_does_not_serve_and_says_why(own: int | None, peers: Mapping[str, int | None], said: str) -> None:
    assert said in str(gate.obstacle(own, peers))
