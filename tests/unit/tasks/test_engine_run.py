"""A run of the engine as the command line shows it: its exit code, its one document, what a person reads."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hostmuster.tasks.engine import run_engine
from hostmuster.tasks.job import Job

CANNED = str(Path(__file__).parent / "canned_engine.py")
JOB = Job("apply", "/project", "lab", None, False, "ann@laptop", "open sesame", {"item": "clock"})


def engine(*words: str) -> tuple[str, ...]:
    return (sys.executable, CANNED, *words)


def event(**fields: object) -> str:
    return json.dumps(fields)


def item(host: str, name: str, status: str, **fields: object) -> str:
    return event(event="item", host=host, item=name, status=status, **fields)


def hosts(**items: dict[str, str]) -> dict[str, object]:
    """The result's document for hosts with items of a status."""
    return {
        "fleet": "lab",
        "hosts": {
            host: {"reachable": True, "items": {name: {"status": status} for name, status in states.items()}}
            for host, states in items.items()
        },
    }


def result(document: dict[str, object], code: int) -> tuple[str, ...]:
    return ("print", event(event="result", document=document, exit=code), "exit", str(code))


def test_the_hosts_are_shown_aligned_and_summed_up_in_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    reason = "worker.service did not start\nread its log: journalctl -u worker"
    document = hosts(
        a={"access": "ok", "clock": "changed", "units": "ok"},
        worker_1={"access": "ok", "clock": "failed", "units": "not_run"},
    )
    code = run_engine(
        JOB,
        as_json=False,
        command=engine("print", item("worker_1", "clock", "failed", reason=reason), *result(document, 1)),
    )
    lines = capfd.readouterr().out.splitlines()
    assert code == 1
    assert lines[:-1] == [
        "a         ok       access, units",
        "          changed  clock",
        "worker_1  ok       access",
        "          failed   clock",
        "                     worker.service did not start",
        "                     read its log: journalctl -u worker",
        "          not run  units",
    ]
    assert lines[-1].startswith("2 hosts, 3 items: 1 changed, 3 ok, 1 failed, 1 not run in ")


def test_differences_and_effects_that_do_not_hold_stand_below_their_item(
    capfd: pytest.CaptureFixture[str],
) -> None:
    effects = [
        {"name": "chrony answers", "ok": True, "seen": "yes"},
        {"name": "in step", "ok": False, "seen": "5 s off"},
    ]
    difference = "file /etc/x: mode is 0666, declared 0600"
    state = {"status": "differs", "differences": [difference], "effects": effects}
    document: dict[str, object] = {"hosts": {"a": {"reachable": True, "items": {"clock": state}}}}
    code = run_engine(JOB, as_json=False, command=engine(*result(document, 2)))
    out = capfd.readouterr().out
    assert code == 2
    assert difference in out
    assert "in step: does not hold (5 s off)" in out
    assert "chrony answers" not in out
    assert "1 host, 1 item: 1 differ, 0 ok, 0 failed" in out


def test_a_host_out_of_reach_says_why(capfd: pytest.CaptureFixture[str]) -> None:
    document: dict[str, object] = {
        "hosts": {"a": {"reachable": False, "error": "a: no route to 10.213.0.11\n    is it up?", "items": {}}}
    }
    assert run_engine(JOB, as_json=False, command=engine(*result(document, 1))) == 1
    out = capfd.readouterr().out
    assert "a  failed   no route to 10.213.0.11\n" in out
    assert "is it up?" in out
    assert "1 host unreachable" in out


def failed(host: str, why: str) -> str:
    return event(event="host", host=host, phase="failed", text=why)


def test_why_a_host_failed_is_told_once(capfd: pytest.CaptureFixture[str]) -> None:
    why = "no SSH at 192.0.2.1:22 (timed out)"
    document: dict[str, object] = {
        "hosts": {"a": {"reachable": False, "error": f"{why} (see that it is up)", "items": {}}}
    }
    run_engine(JOB, as_json=False, command=engine("print", failed("a", why), *result(document, 1)))
    out, err = capfd.readouterr()
    assert err == "a: failed\n"
    assert out.splitlines()[0] == f"a  failed   {why} (see that it is up)"


def test_why_a_host_failed_is_told_though_the_run_ends_without_it(capfd: pytest.CaptureFixture[str]) -> None:
    refusal = event(event="error", text="b: held by ann", exit=3)
    command = engine("print", failed("a", "no SSH"), "print", failed("b", "held by ann"), "print", refusal, "exit", "3")
    run_engine(JOB, as_json=False, command=command)
    assert capfd.readouterr().err.splitlines() == ["a: failed", "b: failed", "b: held by ann", "a: no SSH"]


def test_what_is_known_of_a_host_apart_from_items_is_a_table(capfd: pytest.CaptureFixture[str]) -> None:
    document: dict[str, object] = {
        "hosts": {
            "server-1": {"holder": "ann@laptop", "change": None, "owed": ["restart a.service"], "frozen": True},
            "worker-1": {"holder": None, "change": None, "owed": [], "frozen": False},
        }
    }
    assert run_engine(JOB, as_json=False, command=engine(*result(document, 0))) == 0
    rows = [line.split() for line in capfd.readouterr().out.splitlines()]
    assert rows == [
        ["host", "holder", "change", "owed", "frozen"],
        ["server-1", "ann@laptop", "-", "restart", "a.service", "yes"],
        ["worker-1", "-", "-", "-", "no"],
    ]


def test_what_a_host_said_cannot_steer_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    command = engine(
        "print",
        item("a", "clock", "failed", reason="\x1b[2Jgone [bold]"),
        *result(hosts(a={"clock": "failed"}), 1),
    )
    run_engine(JOB, as_json=False, command=command)
    out = capfd.readouterr().out
    assert "\x1b" not in out
    assert "\\x1b[2Jgone [bold]" in out


def test_json_is_one_document_on_standard_output_and_the_rest_on_standard_error(
    capfd: pytest.CaptureFixture[str],
) -> None:
    document = hosts(a={"clock": "ok"})
    phase = event(event="host", host="a", phase="connect", text="10.213.0.11")
    command = engine("print", "a library's chatter", "print", phase, *result(document, 0))
    assert run_engine(JOB, as_json=True, command=command) == 0
    out, err = capfd.readouterr()
    assert json.loads(out) == document
    assert "a library's chatter" in err
    assert "a: connect 10.213.0.11" in err
    assert "1 host, 1 item: 0 changed, 1 ok, 0 failed" in err


def test_a_refusal_by_the_engine_is_told_in_full_and_ends_with_3(capfd: pytest.CaptureFixture[str]) -> None:
    text = "inventory/lab.yml:4: unknown key 'adress'\n    write address"
    command = engine("print", event(event="error", text=text, exit=3), "exit", "3")
    assert run_engine(JOB, as_json=True, command=command) == 3
    out, err = capfd.readouterr()
    assert json.loads(out) == {"error": text, "exit": 3}
    assert err.count(text) == 1


def test_the_job_reaches_the_engine_with_its_details_beside_the_common_fields(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert run_engine(JOB, as_json=True, command=engine("echo-job")) == 0
    assert json.loads(capfd.readouterr().out) == {
        "command": "apply",
        "project": "/project",
        "fleet": "lab",
        "limit": None,
        "yes": False,
        "holder": "ann@laptop",
        "sudo_password": "open sesame",
        "value": None,
        "item": "clock",
    }


def test_a_document_about_no_host_is_told_field_by_field_without_what_was_told_as_it_happened(
    capfd: pytest.CaptureFixture[str],
) -> None:
    document = {"secret": "token-key", "steps": [{"at": 1, "step": "publish"}], "skew_s": 0.008}
    assert run_engine(JOB, as_json=False, command=engine(*result(document, 0))) == 0
    out, _ = capfd.readouterr()
    assert "secret  token-key" in out
    assert "skew_s  0.008" in out
    assert "publish" not in out


def test_the_sudo_password_is_not_in_what_python_shows_of_a_job() -> None:
    assert "open sesame" not in repr(JOB)


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("kill",), 1, "ended by SIGKILL"),
        (("exit", "0"), 1, "without a result"),
        (("exit", "77"), 1, "without a result (exit code 77)"),
        (("print", item("a", "clock", "changed"), "kill"), 1, "a  changed  clock"),
    ],
)
def test_an_engine_that_dies_is_a_failure_that_says_so(
    words: tuple[str, ...], code: int, told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_engine(JOB, as_json=False, command=engine(*words)) == code
    assert told in "".join(capfd.readouterr())


RUNNER = """
import sys
from hostmuster.tasks.engine import run_engine
from hostmuster.tasks.job import Job
job = Job("apply", "/project", "lab", None, False, "ann@laptop", None, {})
sys.exit(run_engine(job, as_json=False, command=sys.argv[1:]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_lets_the_engine_put_its_hosts_in_order_first(
    number: signal.Signals,
) -> None:
    command = engine("wait-for-interrupt", *result(hosts(a={"clock": "ok"}), 0))
    with subprocess.Popen(
        [sys.executable, "-c", RUNNER, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
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
        [sys.executable, "-c", RUNNER, *command],
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
