"""Ctrl-C at whatever moment it comes: one line, no traceback, exit code 1."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.tasks.canned_engine import engine, hosts, result

ROOT = Path(__file__).parents[3]

AT_AN_IMPORT = """
import os, runpy, signal, sys
_, program, at, *words = sys.argv
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background inherits that it is ignored
class Interrupting:
    def find_spec(self, name, *_):
        if name == at:
            exec("os.kill(os.getpid(), signal.SIGINT)")  # as dataclasses and named tuples are made
sys.meta_path.insert(0, Interrupting())
sys.argv[:] = [program, *words]
runpy.run_module(program, run_name="__main__")
"""

RUNNER = """
import sys
from hostmuster.tasks.engine import run_engine
from hostmuster.tasks.job import Job
job = Job(sys.argv[1], "/project", "lab", None, False, "ann@laptop", None, {})
sys.exit(run_engine(job, as_json=False, command=sys.argv[2:]))
"""

BEFORE_ITS_FIRST_LINE = """
import os, runpy, signal, time
os.kill(os.getppid(), signal.SIGINT)
until = time.monotonic() + 10
while signal.SIGINT not in signal.sigpending() and time.monotonic() < until:
    time.sleep(0.01)
runpy.run_module("hostmuster.engine", run_name="__main__")
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", *words], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("at", ["invoke", "hostmuster.tasks.lab", "hostmuster.lab"])
def test_while_modules_are_imported_it_ends_the_command_line_in_one_line(at: str) -> None:
    ended = run(AT_AN_IMPORT, "hostmuster", at, "lab.status")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "interrupted\n")


@pytest.mark.parametrize("at", ["gevent", "pyinfra", "hostmuster.engine.command"])
def test_while_modules_are_imported_it_ends_the_engine_without_a_word(at: str) -> None:
    ended = run(AT_AN_IMPORT, "hostmuster.engine", at)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")


def test_one_that_comes_before_the_engine_can_answer_waits_until_it_can() -> None:
    ended = run(RUNNER, "check", sys.executable, "-c", BEFORE_ITS_FIRST_LINE)
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "interrupted\n")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("check", ["interrupted"]),
        ("status", ["interrupted"]),
        ("report", ["interrupted"]),
        (
            "apply",
            [
                "interrupted: the hosts are being put in order; once more ends at once",
                "interrupted",
                "    the next apply resumes or takes back what is open on a host",
            ],
        ),
    ],
)
def test_what_may_be_open_on_a_host_is_told_by_what_changes_hosts_alone(command: str, told: list[str]) -> None:
    words = [sys.executable, "-c", RUNNER, command, *engine("wait-for-interrupt", "exit", "1")]
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert [line for line in err.splitlines() if line != "hosts put in order"] == told


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_lets_the_engine_put_its_hosts_in_order_first(number: signal.Signals) -> None:
    command = engine("wait-for-interrupt", *result(hosts(a={"clock": "ok"}), 0))
    with subprocess.Popen(
        [sys.executable, "-c", RUNNER, "apply", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stderr is not None
        assert run.stderr.readline() == "waiting\n"
        run.send_signal(number)
        _, err = run.communicate(timeout=20)
    assert run.returncode == 1
    assert "hosts put in order" in err
    assert "interrupted" in err
    assert "Traceback" not in err


def test_an_interrupt_reaches_the_engine_also_where_a_shell_started_us_in_the_background() -> None:
    command = engine("wait-for-interrupt", *result(hosts(a={"clock": "ok"}), 0))
    with subprocess.Popen(
        [sys.executable, "-c", RUNNER, "apply", *command],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    ) as run:
        assert run.stderr is not None
        assert run.stderr.readline() == "waiting\n"
        os.kill(run.pid, signal.SIGINT)
        _, err = run.communicate(timeout=20)
    assert run.returncode == 1
    assert "hosts put in order" in err


LISTING = """
import sys
from pathlib import Path
from hostmuster.errors import HostmusterError
from hostmuster.project import Project
from hostmuster.tasks.listing import generations
try:
    generations(Project(Path(sys.argv[1])), "lab", command=sys.argv[2:])
except HostmusterError as error:
    sys.exit(10 + error.exit_code)
"""


def test_a_list_of_generations_that_was_interrupted_is_an_error_and_no_list(tmp_path: Path) -> None:
    (tmp_path / "inventory").mkdir()
    (tmp_path / "inventory" / "lab.yml").write_text("fleet: lab\n")
    command = engine("wait-for-interrupt", *result({"fleet": "lab", "hosts": {"a": 1}}, 0))
    with subprocess.Popen(
        [sys.executable, "-c", LISTING, str(tmp_path), *command], stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stderr is not None
        assert run.stderr.readline() == "waiting\n"
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=20)
    assert run.returncode == 11
