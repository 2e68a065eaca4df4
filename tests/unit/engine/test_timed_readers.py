"""A service that a timer starts takes new secrets with its next run: nothing of it is restarted for them."""

from __future__ import annotations

from hostmuster.engine.staging import switched
from hostmuster.resources.step import Owe, PutLink
from hostmuster.secrets.moment import made
from hostmuster.secrets.reader import Reader

READERS = {
    "check": Reader(unit="check.service", files={"url": "webhook"}, timed=True),
    "api": Reader(unit="api.service", files={"key": "api-key"}),
}
ALL = {"check/url", "api/key"}


def test_only_what_runs_on_is_owed_a_restart() -> None:
    assert [step for step in switched(2, READERS, ALL) if isinstance(step, Owe)] == [Owe("api.service", "restart")]


def test_a_run_that_began_before_counts_as_one_with_the_old() -> None:
    links = [step for step in switched(2, READERS, ALL) if isinstance(step, PutLink)]
    assert links[2:] == made(["check.service", "api.service"], 2)
