"""An onboarding as a person sees it: the checklist line by line, then what else there is to say."""

from __future__ import annotations

import pytest

from hostmuster.tasks.engine import run_engine
from hostmuster.tasks.job import Job
from tests.unit.tasks.canned_engine import engine, event, result

JOB = Job("onboard", "/project", "lab", ("web-1",), False, "ann@laptop", None, {})


def line(item: str, status: str, seen: str) -> str:
    return event(event="line", host="web-1", item=item, text=f"The {item}.", status=status, seen=seen)


def test_the_checklist_is_shown_with_what_was_seen_and_what_the_others_lack(
    capfd: pytest.CaptureFixture[str],
) -> None:
    host = {"reachable": True, "items": {"clock": {"status": "changed"}, "access": {"status": "failed"}}}
    document = {"fleet": "lab", "hosts": {"web-1": host}, "others": {"db-1": ["file /etc/hosts: content is another"]}}
    words = ["print", line("access", "failed", "no \x1b[2Jlogin\nno sudo"), "print", line("clock", "ok", "in step")]
    words += result(document, 1)
    assert run_engine(JOB, as_json=False, command=engine(*words)) == 1
    shown = capfd.readouterr().out.splitlines()
    assert shown[:-1] == [
        "failed   access  The access.",
        "           no \\x1b[2Jlogin",
        "           no sudo",
        "ok       clock  The clock.",
        "           in step",
        "db-1 differs now, hostmuster apply mends it: file /etc/hosts: content is another",
    ]
    assert shown[-1].startswith("web-1, 2 lines: 1 ok, 1 failed, 0 not run in ")


def test_a_host_that_failed_as_a_whole_says_why_below_its_checklist(capfd: pytest.CaptureFixture[str]) -> None:
    document = {"hosts": {"web-1": {"reachable": False, "items": {}, "error": "bootstrap: nobody may log in"}}}
    words = ["print", line("access", "not_run", "the host was not bootstrapped")]
    words += result(document, 1)
    assert run_engine(JOB, as_json=False, command=engine(*words)) == 1
    assert "web-1: bootstrap: nobody may log in" in capfd.readouterr().out.splitlines()
