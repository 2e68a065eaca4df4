"""What a person reads of a run of the engine: its hosts, their items, and why one failed."""

from __future__ import annotations

import pytest

from hostmuster.tasks.engine import run_engine
from hostmuster.tasks.job import Job
from tests.unit.tasks.canned_engine import engine, event, hosts, item, result

JOB = Job("apply", "/project", "lab", None, False, "ann@laptop", None, {})


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


def test_a_document_about_no_host_is_told_field_by_field_without_what_was_told_as_it_happened(
    capfd: pytest.CaptureFixture[str],
) -> None:
    document = {"secret": "token-key", "steps": [{"at": 1, "step": "publish"}], "skew_s": 0.008}
    assert run_engine(JOB, as_json=False, command=engine(*result(document, 0))) == 0
    out, _ = capfd.readouterr()
    assert "secret  token-key" in out
    assert "skew_s  0.008" in out
    assert "publish" not in out
