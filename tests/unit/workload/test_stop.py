"""SIGTERM at any moment ends each program of ours that has a handler for it, in time and in order."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.unit.workload.process import environment, free_port

SIGNALLED = Path(__file__).with_name("signalled.py")
LINES = range(18)
"""Several waits; Event.wait alone is five lines."""
WITHIN_S = 60.0
"""One that stands does so for ever; the machine may be busy."""


def ended(line: int, *program: str) -> tuple[int | None, str]:
    """The exit code of a program that gets SIGTERM at that line; None where it stands. And what it said."""
    try:
        done = subprocess.run(
            [sys.executable, str(SIGNALLED), str(line), *program],
            env=environment(free_port(), PYTHONPATH=":".join(sys.path)),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=WITHIN_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stdout


def lines_at_which_it_does_not_end(*program: str, code: int) -> dict[int, tuple[int | None, str]]:
    with ThreadPoolExecutor(8) as pool:
        all_of_them = dict(zip(LINES, pool.map(lambda line: ended(line, *program), LINES), strict=True))
    return {line: how for line, how in all_of_them.items() if how[0] != code}


def test_the_workload_drains(opt: Path) -> None:
    assert lines_at_which_it_does_not_end(str(opt / "workload"), code=0) == {}


@pytest.mark.parametrize("name", ["tokens", "watch"])
def test_a_probe_says_what_it_saw(name: str) -> None:
    nobody = [f"{one}=http://127.0.0.1:{free_port()}" for one in "ab"]
    assert lines_at_which_it_does_not_end(f"hostmuster.drills.probes.{name}", *nobody, code=name == "tokens") == {}
