"""A run of the engine as the command line ends it: its exit code, its one document, an engine that dies."""

from __future__ import annotations

import json

import pytest

from hostmuster.tasks.engine import run_engine
from hostmuster.tasks.job import Job
from tests.unit.tasks.canned_engine import engine, event, hosts, item, result

JOB = Job("apply", "/project", "lab", None, False, "ann@laptop", "open sesame", {"item": "clock"})


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
