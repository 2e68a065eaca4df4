"""What the monitor's effects make of a host's answers."""

from __future__ import annotations

import pytest

from hostmuster.effects.monitor import neighbour, runs, webhook
from hostmuster.item import Answer
from tests.items.monitored import ORIGIN

RAN = {
    'active\nsuccess\n1900000070\n{...,"at":1900000000,"run":7,...}': (True, "run 7 began 70 s ago"),
    'active\nsuccess\n1900000080\n{...,"at":1900000000,"run":7,...}': (False, "run 7 began 80 s ago"),
    'inactive\nsuccess\n1900000070\n{...,"at":1900000000,"run":7,...}': (False, "the.timer is inactive"),
    "active\nexit-code\n1900000070\n": (False, "the last run of the.service ended with exit-code"),
    "active\nsuccess\n1900000070\nhead: cannot open": (False, "it has told nothing yet: head: cannot open"),
    "": (False, "the.timer is not there"),
}


@pytest.mark.parametrize("answer", RAN)
def test_checks_that_do_not_run_are_seen(answer: str) -> None:
    seen = runs("the.timer", "the.service", "/x/status.json", 75).judge(Answer(0, answer))
    assert (seen.ok, seen.seen.partition(": journalctl")[0]) == RAN[answer]


def test_a_webhook_is_reached_when_anything_answers_there() -> None:
    assert webhook(ORIGIN, None).judge(Answer(0, "405")).ok
    assert not webhook(ORIGIN, None).judge(Answer(7, "000")).ok
    assert not webhook(ORIGIN, "http://127.0.0.1:8888").judge(Answer(0, "403")).ok
    assert webhook(ORIGIN, "http://127.0.0.1:8888").judge(Answer(0, "204")).ok


def test_a_neighbour_that_cannot_be_read_is_named() -> None:
    effect = neighbour("worker-1", "service", "/x/status.json")
    assert (effect.cost, effect.peer) == ("deep", "worker-1")
    assert effect.judge(Answer(0, '{"version":1,"at":1900000000,"run":7,')).ok
    assert effect.judge(Answer(255, "ssh: No route to host")).seen == "worker-1 cannot be read: ssh: No route to host"
