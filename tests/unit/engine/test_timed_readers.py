"""A service that a timer starts takes new secrets with its next run: nothing of it is restarted for them."""

from __future__ import annotations

from hostmuster.engine.staging import switched
from hostmuster.resources.resource import Owe
from hostmuster.secrets.reader import Reader

TIMED = Reader(unit="check.service", files={"url": "webhook"}, timed=True)
SERVED = Reader(unit="api.service", files={"key": "api-key"})


def test_only_what_runs_on_is_owed_a_restart() -> None:
    assert [step for step in switched(2, [TIMED, SERVED]) if isinstance(step, Owe)] == [Owe("api.service", "restart")]
