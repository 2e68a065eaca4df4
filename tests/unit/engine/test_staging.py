"""What a rollout owes to those who read secrets: a restart, or a reload to those that read their files anew."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from hostmuster.engine.staging import switched
from hostmuster.resources.resource import Owe
from hostmuster.secrets.reader import Reader


def reader(unit: str, *, reloads: bool = False) -> Reader:
    return Reader(unit=unit, files={"key.pem": "tls-key"}, reloads=reloads)


def owed(*readers: Reader) -> list[Owe]:
    return [step for step in switched(2, readers) if isinstance(step, Owe)]


def test_a_reader_that_reloads_is_owed_a_reload() -> None:
    assert owed(reader("nginx.service", reloads=True), reader("app.service")) == [
        Owe("nginx.service", "reload"),
        Owe("app.service", "restart"),
    ]


@pytest.mark.parametrize("order", [1, -1])
def test_a_unit_that_two_read_for_is_restarted_if_either_needs_it(order: int) -> None:
    two = [reader("nginx.service", reloads=True), reader("nginx.service")]
    assert owed(*two[::order]) == [Owe("nginx.service", "restart")]


def test_variables_are_not_read_anew_by_a_reload() -> None:
    with pytest.raises(ValidationError) as caught:
        Reader(unit="nginx.service", env={"TOKEN": "api-token"}, reloads=True)
    assert "reads no variables anew" in str(caught.value)
