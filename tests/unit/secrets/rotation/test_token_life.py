"""How long a token may live, by the environments as rendered (K4)."""

from __future__ import annotations

import pytest

from hostmuster.errors import InputError
from hostmuster.secrets.rotation.token_life import VARIABLE, longest_s


@pytest.mark.parametrize(
    ("given", "life_s"),
    [([], 3600), ([{}], 3600), ([{VARIABLE: "600"}], 3600), ([{VARIABLE: "7200"}, {VARIABLE: "5400"}], 7200)],
)
def test_it_is_the_longest_of_all_lives_on_any_host(given: list[dict[str, str]], life_s: float) -> None:
    assert longest_s([(f"server-{number}", values) for number, values in enumerate(given)]) == life_s


@pytest.mark.parametrize("value", ["", "0", "-1", "1h", "3600.5", "6e3", " 600"])
def test_a_deadline_that_is_no_number_of_seconds_is_refused_by_its_place(value: str) -> None:
    with pytest.raises(InputError, match=f"server-1: {VARIABLE} is no number of seconds"):
        longest_s([("server-1", {VARIABLE: value})])
