"""Answers: one that was cut anywhere is never taken for a whole one, and why it was cut is said."""

from __future__ import annotations

import pytest

from hostmuster.errors import HostFailed
from hostmuster.item import Answer
from hostmuster.onhost.answers import Debt, State, parse

WHOLE = ".\n= lease 0 5\ntaken\n.\n= a 3 9\nzwölf\n= \n= end 0 4\ndone\n"


def test_answers_are_read_by_their_length_whatever_they_hold() -> None:
    answers = parse("a", WHOLE, status=0, errors="")
    assert answers["lease"] == Answer(0, "taken")
    assert answers["a"] == Answer(3, "zwölf\n= ")
    assert answers.end == "done"


@pytest.mark.parametrize("length", range(len(WHOLE) - 1))
def test_a_cut_answer_is_never_taken_for_a_whole_one(length: int) -> None:
    with pytest.raises(HostFailed, match="cut before its end"):
        parse("a", WHOLE[:length], status=-1, errors="")


@pytest.mark.parametrize(
    "garbage", ["= \n", "= a b c\n", "= a 0 x\nq\n", "= a 0 -5\nq\n", "= a 0 1 1\nq\n", "= \xe9 0 99\n"]
)
def test_what_is_no_answer_at_all_is_a_cut_one(garbage: str) -> None:
    with pytest.raises(HostFailed, match="cut before its end"):
        parse("a", garbage, status=1, errors="")


@pytest.mark.parametrize(
    ("errors", "remedy"),
    [
        ("Sorry, try again.\nsudo: 3 incorrect password attempts", "give the automation user's password"),
        ("sudo: a password is required", "run it with --ask-sudo"),
        ("sudo: no password was provided\nsudo: 1 incorrect password attempt", "run it again with --ask-sudo"),
        ("hostmuster is not in the sudoers file.\nsudo: nope", "hostmuster bootstrap"),
        ("", "settled by the next apply"),
    ],
)
def test_why_it_was_cut_is_said_with_a_remedy(errors: str, remedy: str) -> None:
    with pytest.raises(HostFailed) as failure:
        parse("a", "", status=1, errors=errors)
    assert remedy in failure.value.remedy
    assert failure.value.where == "a"


def test_a_program_that_the_script_refuses_is_a_failed_host() -> None:
    with pytest.raises(HostFailed, match="not root"):
        parse("a", "= end 2 8\nnot root\n", status=2, errors="")


def test_a_host_says_what_it_knows_of_itself() -> None:
    text = (
        "schema 1\nrevision 7\napplied abc\nowed x.service restart 4fa 12.5\nowed y reload\nchange switched 1f item\n"
    )
    state = State.parse(f"{text}frozen by ada since now\nhalted x.service\nhalted y.service\nlease ada@x 12ab 50")
    assert state.halted == ("x.service", "y.service")
    assert (state.schema, state.revision, state.applied) == (1, 7, "abc")
    assert state.debts == (Debt("x.service", "restart"), Debt("y", "reload"))
    assert state.change == "switched 1f item"
    assert state.frozen == "by ada since now"
    assert (state.holder, state.run, state.lease_s) == ("ada@x", "12ab", 50)


def test_a_debt_that_a_power_loss_emptied_is_a_restart() -> None:
    assert State.parse("schema 1\nrevision 0\napplied \nowed x.service ").debts == (Debt("x.service", "restart"),)


def test_a_host_that_never_saw_us_says_nothing() -> None:
    state = State.parse("schema 1\nrevision 0\napplied ")
    assert (state.revision, state.applied, state.frozen, state.run, state.lease_s) == (0, "", "", "", 0)
