"""What takes a fault back beside its target: when its time is up, or whoever armed it is gone; not after `done`."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from tests.waiting import await_that


def armed(seconds: float, *command: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "hostmuster.drills.watchdog", str(seconds), *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "armed\n"
    return process


def ended(process: subprocess.Popen[str]) -> None:
    """Its output is open as long as it lives, whoever its parent is by then."""
    process.wait()
    assert process.stdout is not None
    process.stdout.read()


def test_it_acts_as_soon_as_whoever_armed_it_is_gone(tmp_path: Path) -> None:
    undone = tmp_path / "undone"
    process = armed(600, "touch", str(undone))
    assert not undone.exists()
    assert process.stdin is not None
    process.stdin.close()
    await_that(undone.exists, 30, "it is undone")


def test_it_acts_when_its_time_is_up_though_everybody_lives(tmp_path: Path) -> None:
    undone = tmp_path / "undone"
    with armed(0.2, "touch", str(undone)):
        await_that(undone.exists, 30, "it is undone")


def test_told_that_it_is_done_it_ends_and_does_nothing(tmp_path: Path) -> None:
    undone = tmp_path / "undone"
    process = armed(600, "touch", str(undone))
    assert process.stdin is not None
    process.stdin.write("done\n")
    process.stdin.close()
    ended(process)
    time.sleep(0.3)
    assert not undone.exists()


def test_what_fails_is_tried_again(tmp_path: Path) -> None:
    tried, undone = tmp_path / "tried", tmp_path / "undone"
    script = f"[ -e {tried} ] && touch {undone} || {{ touch {tried}; false; }}"
    process = armed(600, "sh", "-c", script)
    assert process.stdin is not None
    process.stdin.close()
    await_that(undone.exists, 30, "it is undone")
