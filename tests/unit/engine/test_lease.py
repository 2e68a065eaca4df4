"""Leases: who is kept off, and which of two runs goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hostmuster.engine.lease import Lease, LeaseHeld, refusal, takeover
from hostmuster.errors import HostFailed, Refused
from hostmuster.item import Answer
from hostmuster.onhost.answers import Answers
from hostmuster.report.journal import Journal, is_over
from hostmuster.report.redaction import Redaction

RUN, OTHER = "0a1b2c3d", "4e5f6a7b"


def lease(reports: Path, run: str = RUN) -> Lease:
    return Lease("ada@desk", run, 120, reports)


def held(run: str = OTHER, seconds: int = 119) -> LeaseHeld:
    return LeaseHeld("a", "bob@y", run, seconds)


def said(**answers: Answer) -> Answers:
    return Answers({"end": Answer(0, "done"), **answers})


def test_a_holder_with_blanks_or_quotes_in_the_name_is_still_one_word(tmp_path: Path) -> None:
    assert Lease('a "b"\n@x', RUN, 120, tmp_path).take == f"lease a__b__@x {RUN} 120"
    assert Lease("", RUN, 120, tmp_path).take == f"lease nobody {RUN} 120"


@pytest.mark.parametrize(("ours", "theirs"), [(RUN, OTHER), (OTHER, RUN)])
def test_of_two_runs_that_began_at_once_exactly_one_goes_on(tmp_path: Path, ours: str, theirs: str) -> None:
    one = lease(tmp_path, ours).goes_before(held(theirs))
    other = lease(tmp_path, theirs).goes_before(held(ours))
    assert one != other


def test_a_run_that_has_been_at_work_for_a_while_goes_on(tmp_path: Path) -> None:
    assert not lease(tmp_path).goes_before(held(seconds=90))


def test_a_run_of_this_folder_is_dead_once_its_process_is_gone(tmp_path: Path) -> None:
    assert not lease(tmp_path).survives(held()), "a run unknown here may live elsewhere"
    with Journal(tmp_path, OTHER, Redaction()):
        assert not lease(tmp_path).survives(held())
    assert lease(tmp_path).survives(held())


def test_a_run_whose_process_was_killed_is_over(tmp_path: Path) -> None:
    source = (
        "from pathlib import Path; from hostmuster.report.journal import Journal;"
        "from hostmuster.report.redaction import Redaction;"
        f"kept = Journal(Path({str(tmp_path)!r}), {OTHER!r}, Redaction()); print('there', flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert not is_over(tmp_path, OTHER)
        process.kill()
        process.wait()
    assert is_over(tmp_path, OTHER)


@pytest.mark.parametrize("run", ["../elsewhere", "", "0a1b2c3d/..", "0A1B2C3D"])
def test_what_a_host_says_leads_to_no_other_folder(tmp_path: Path, run: str) -> None:
    assert not lease(tmp_path).survives(held(run))


def test_a_refusal_names_holder_run_seconds_and_what_to_do() -> None:
    error = refusal("a", said(lease=Answer(1, f"held bob@y {OTHER} 77")))
    assert isinstance(error, LeaseHeld)
    assert error.what == f"bob@y is at work on it (run {OTHER}, lease for 77 s more)"
    assert "hostmuster unlock a --revert" in error.remedy


def test_a_newer_state_is_refused_and_a_host_that_moved_on_has_failed() -> None:
    assert isinstance(refusal("a", Answers({"end": Answer(0, "schema 9")})), Refused)
    moved = Answers({"end": Answer(0, "refused"), "holds": Answer(1, "revision 8")})
    assert isinstance(refusal("a", moved), HostFailed)
    assert refusal("a", said(lease=Answer(0, "taken"))) is None


def test_a_lease_taken_over_is_said() -> None:
    assert takeover(said(lease=Answer(0, f"taken-over bob@y {OTHER}"))) == (
        f"took over the lease that bob@y left (run {OTHER})"
    )
    assert takeover(said(lease=Answer(0, "taken"))) is None
    assert takeover(said()) is None
