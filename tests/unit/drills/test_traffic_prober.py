"""The client's probe: what it counts as failed, how long it says nobody was served, and how sure it says that is."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from hostmuster.drills.probes.course import Asked, Course

REPOSITORY = Path(__file__).parents[3]


def course(*asked: Asked, ended: float = 2.0) -> Course:
    """A course from 0 on."""
    return Course(0.0, list(asked), ended=ended)


def good(sent: float, took: float = 0.01) -> Asked:
    """A GET with a good answer."""
    return Asked("GET", sent, sent + took)


def bad(sent: float, took: float = 0.01) -> Asked:
    """A GET without one."""
    return Asked("GET", sent, sent + took, "no answer: timeout")


def test_an_outage_is_the_longest_time_without_a_good_answer() -> None:
    steady = [good(0.1 * n) for n in range(5)]
    found = course(*steady, bad(0.5), bad(0.6), good(1.1), good(1.9)).longest_outage
    assert found == pytest.approx((1.11, 0.8))  # where nothing was asked, nothing was good either
    assert course(*steady, ended=0.5).longest_outage[1] == pytest.approx(0.1)


def test_an_answer_that_a_client_waited_for_is_no_service_meanwhile() -> None:
    found = course(good(0.0), good(0.1, took=1.0), good(1.2), ended=1.3)
    assert found.longest_outage == pytest.approx((0.01, 1.09))
    assert found.longest_failing_s == 0


def test_failing_lasts_from_the_first_failed_one_to_an_answer_to_a_later_one() -> None:
    asked = (good(0.0), bad(0.1, took=5.0), good(0.05, took=0.4), bad(0.2, took=5.0), good(0.7), bad(0.9), good(1.0))
    assert course(*asked).longest_failing_s == pytest.approx(0.61)
    assert course(good(0.0), bad(0.5)).longest_failing_s == pytest.approx(1.5)  # to the probe's end


def test_a_probe_without_any_good_answer_saw_an_outage_all_the_time() -> None:
    assert course(bad(0.1), bad(0.2)).longest_outage == (0.0, 2.0)
    assert course().longest_outage == (0.0, 2.0)


def test_the_sampling_error_is_what_of_the_outage_nobody_looked() -> None:
    asked = [good(0.1 * n) for n in range(5)] + [bad(0.5), bad(0.6), good(1.1), good(1.3)]
    assert course(*asked, ended=1.3).sampling_error_s == pytest.approx(0.5)
    assert course(good(0.0), good(0.1, took=0.4), bad(0.2), bad(0.3), ended=0.5).sampling_error_s == pytest.approx(0.2)
    assert course().sampling_error_s == 2.0


def test_the_series_counts_by_when_they_were_sent() -> None:
    assert course(good(0.0), bad(0.01), good(0.15), ended=0.35).series() == [(1, 1), (1, 0), (0, 0), (0, 0)]


class Answers(BaseHTTPRequestHandler):
    """Gives each POST an id, refuses every third, and closes on /gone without a word."""

    posts = 0
    asked = threading.Event()

    def do_GET(self) -> None:
        """200, or nothing."""
        if self.path != "/gone":
            self._say(200, {"status": "ok"})
        self.asked.set()

    def do_POST(self) -> None:
        """201 with an id, or 503."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Answers.posts += 1
        self._say(*((503, {}) if Answers.posts % 3 == 0 else (201, {"id": asked["key"][:8]})))

    def _say(self, status: int, document: dict[str, str]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""


@contextmanager
def served() -> Iterator[str]:
    """A server on the loopback."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def probed(*words: str) -> tuple[int, Any, str]:
    """The prober's exit code, its document, and its complaint."""
    done = subprocess.run(
        [sys.executable, "-m", "hostmuster.drills.probes.traffic", *words],
        cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def test_each_post_is_acknowledged_with_its_id_or_told_as_failed(tmp_path: Path) -> None:
    with served() as base:
        code, told, _ = probed("--seconds", "1", "--acknowledged", str(tmp_path / "posts"), base)
    lines = [json.loads(line) for line in (tmp_path / "posts").read_text().splitlines()]
    assert code == 1
    assert told["methods"]["GET"]["failed"] == 0 < told["methods"]["GET"]["ok"]
    posts = told["methods"]["POST"]
    assert told["failures"] == {"POST: status 503": posts["failed"]}
    assert posts["failed"] > 0
    assert len(lines) == posts["asked"] == len({line["key"] for line in lines})
    assert sum("id" in line for line in lines) == posts["ok"]
    assert all(line["key"].startswith(line["id"]) for line in lines if "id" in line)
    assert sum(count for pair in told["series"]["GET"] for count in pair) == told["methods"]["GET"]["asked"]


def test_nothing_failed_is_0_and_a_silent_end_is_a_failure_with_its_reason() -> None:
    with served() as base:
        assert probed("--post", "0", "--seconds", "0.5", base)[0] == 0
        code, told, _ = probed("--post", "0", "--get-path", "/gone", "--seconds", "0.5", base)
    assert code == 1
    assert {*told["failures"]} == {"GET: no answer: IncompleteReadError"}
    assert told["longest_outage_s"] == pytest.approx(told["seconds"], abs=0.01)


def test_a_term_ends_it_and_what_was_seen_is_told() -> None:
    with served() as base:
        Answers.asked.clear()
        prober = subprocess.Popen(
            [sys.executable, "-m", "hostmuster.drills.probes.traffic", "--post", "0", base],
            cwd=REPOSITORY, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert Answers.asked.wait(30)
        time.sleep(0.3)  # for the answer, and some more
        prober.send_signal(signal.SIGTERM)
        output, _ = prober.communicate(timeout=30)
    assert prober.returncode == 0
    assert json.loads(output)["ok"] > 0


def test_an_address_that_is_none_is_a_wrong_call() -> None:
    code, told, said = probed("ftp://127.0.0.1")
    assert (code, told) == (2, None)
    assert "is not http://HOST:PORT" in said
