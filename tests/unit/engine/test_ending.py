"""Drained, stopped and killed are told apart by the service and systemd; what neither tells is not guessed."""

from __future__ import annotations

import json

import pytest

from hostmuster.engine.ending import Ending, ended, running, will_end
from hostmuster.item import Answer
from hostmuster.onhost.answers import Answers
from hostmuster.resources.unit import Unit, listing

URL = "http://192.0.2.1/internal/runs"
APP = Unit("app.service", runs=listing(URL))


def told(*lines: str, runs: tuple[str, ...] | None = ("a run",)) -> Ending:
    return ended("server-1", "app.service", "restarted", runs, Answer(0, "\n".join(["active", *lines])))


@pytest.mark.parametrize(
    ("lines", "counts", "manner"),
    [
        (["stopped: 2 drained, 0 cut off"], (2, 0, 0), "2 drained, 0 stopped, 0 killed (a run)"),
        (["ended: 1 drained, 1 stopped"], (1, 1, 0), "1 drained, 1 stopped, 0 killed (a run)"),
        (["killed"], (None, None, 1), "1 killed (a run)"),
        (["killed", "ended: 1 drained, 2 stopped"], (1, 0, 2), "1 drained, 0 stopped, 2 killed (a run)"),
        ([], (None, None, None), "how its runs ended is not told (a run)"),
    ],
)
def test_who_knows_tells(lines: list[str], counts: tuple[int | None, ...], manner: str) -> None:
    seen = told(*lines)
    assert (seen.drained, seen.stopped, seen.killed) == counts
    assert seen.manner == manner
    assert seen.is_quiet == (not counts[1] and not counts[2])


def test_a_process_that_was_killed_with_nothing_known_to_run_is_said_to_be_killed() -> None:
    assert "its process was killed" in told("killed", runs=None).words


def test_of_a_timer_nothing_is_missing_since_no_process_is_its_own() -> None:
    seen = ended("server-1", "monitor.timer", "restarted", None, Answer(0, "active"))
    assert seen.words == "monitor.timer restarted: it has no process, so nothing ran in it"


def test_a_host_that_does_not_tell_is_not_taken_for_drained() -> None:
    seen = ended("server-1", "app.service", "stopped", None, Answer(9, "inactive"))
    assert (seen.drained, seen.stopped, seen.killed) == (None, None, None)


@pytest.mark.parametrize(
    ("answer", "runs"),
    [
        (Answer(0, json.dumps({"runs": ["GET /work, 3 s", "task 7"]})), ("GET /work, 3 s", "task 7")),
        (Answer(0, "one\n\ntwo\n"), ("one", "two")),
        (Answer(0, json.dumps({"runs": []})), ()),
        (Answer(7, "curl: (7) refused"), None),
    ],
)
def test_runs_are_read_from_lines_or_json(answer: Answer, runs: tuple[str, ...] | None) -> None:
    assert running(Answers({"runs.app.service": answer}), APP) == runs


def test_what_will_be_ended_is_listed_up_to_a_number() -> None:
    assert will_end("restart", "app.service", None) == "restart app.service"
    assert will_end("restart", "app.service", ()) == "restart app.service, which runs 0"
    many = will_end("stop", "app.service", tuple(f"run {number}" for number in range(60)))
    assert many.startswith("stop app.service, which runs 60 (run 0; ")
    assert many.endswith("; and 10 more)")
