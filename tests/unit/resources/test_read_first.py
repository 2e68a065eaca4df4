"""A drop-in of somebody else's that sshd reads before ours is named with the setting that wins, and never removed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hostmuster.resources.read_first import FOLDER, ReadFirst
from hostmuster.resources.step import Blocked, Run
from tests.unit.resources.seen import seen

OURS = "/etc/ssh/sshd_config.d/00-hostmuster-keys-only.conf"
NARROW = ReadFirst(OURS, (("PasswordAuthentication", "no"), ("KbdInteractiveAuthentication", "no")))
THERE = f"{OURS}|regular file|644|root|root|100|{OURS}"


def said(printed: str, stat: str = THERE) -> list[str]:
    return [str(one) for one in NARROW.compare(seen(NARROW, **{"stat": stat, FOLDER.name: printed}))]


@pytest.mark.parametrize(
    "line",
    [
        "PasswordAuthentication yes",
        "  passwordauthentication=yes  # cloud",
        'PasswordAuthentication "yes"',
        "ChallengeResponseAuthentication yes",
        "Match all\n00-a.conf:PasswordAuthentication yes",
        "Match User x\n00-a.conf:PermitTTY no\n00-a.conf:Match all\n00-a.conf:PasswordAuthentication yes",
    ],
)
def test_what_wins_over_ours_is_a_difference_with_its_file(line: str) -> None:
    (one,) = said(f"00-a.conf:{line}")
    assert one.startswith("file /etc/ssh/sshd_config.d/00-a.conf: setting is ")
    assert one.endswith("yes, read before " + OURS + ", declared no")


@pytest.mark.parametrize(
    "printed",
    [
        "",
        "00-a.conf:PasswordAuthentication no",
        "00-a.conf:# PasswordAuthentication yes",
        "00-a.conf:PasswordAuthenticationX yes",
        "00-a.conf:Match User backup\n00-a.conf:    PasswordAuthentication yes",
        "50-cloud-init.conf:PasswordAuthentication yes",
        "01-hostmuster-access.conf:PasswordAuthentication yes",
    ],
)
def test_what_says_the_same_or_comes_after_ours_or_holds_for_some_is_none(printed: str) -> None:
    assert said(printed) == []


def test_a_match_ends_with_its_file() -> None:
    assert len(said("00-a.conf:Match User x\n00-b.conf:PasswordAuthentication yes")) == 1


def test_nothing_is_said_before_ours_is_there_since_access_is_not_narrowed_yet() -> None:
    assert said("00-a.conf:PasswordAuthentication yes", stat="") == []


def test_it_is_named_with_what_to_do_and_never_removed() -> None:
    steps = list(NARROW.steps(seen(NARROW, **{"stat": THERE, FOLDER.name: "00-a.conf:PasswordAuthentication yes"})))
    assert not any(isinstance(step, Run) for step in steps)
    (step,) = steps
    assert isinstance(step, Blocked)
    assert "/etc/ssh/sshd_config.d/00-a.conf sets passwordauthentication before" in step.reason
    assert "take that line out there" in step.reason


def test_the_question_reads_the_folder_in_the_order_of_names_and_nothing_but_its_conf_files(tmp_path: Path) -> None:
    for name in ("b.conf", "a.conf", "c.txt"):
        (tmp_path / name).write_text("One 1\nTwo 2")
    told = subprocess.run([*FOLDER.argv, str(tmp_path)], capture_output=True, text=True, check=True).stdout
    assert told.split() == ["a.conf:One", "1", "a.conf:Two", "2", "b.conf:One", "1", "b.conf:Two", "2"]
