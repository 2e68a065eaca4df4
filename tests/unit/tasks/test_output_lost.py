"""What a command has to say and cannot: its reader has gone, or the disk is full."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hostmuster.errors import of_file
from tests.unit.tasks.typed import ROOT, declare


def test_a_reader_of_our_output_that_has_enough_is_no_fault_of_ours() -> None:
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -m hostmuster.tasks.program --list | true"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


FULL = "standard output: No space left on device"
LOST = "    the command has ended; only what it had to say is lost"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--list"], [FULL]),
        (["--version"], [FULL]),
        (["lab.status", "--fleet", "idle"], [FULL, LOST]),
        (["nosuch", "--json"], ["No idea what 'nosuch' is!", FULL]),
        (["check", "--json", "--limit", ","], ["--limit: no host is named", FULL]),
    ],
)
def test_a_standard_output_that_is_full_is_named_in_one_line(
    words: list[str], told: list[str], unbuffered: str, tmp_path: Path
) -> None:
    declare(tmp_path, "idle", "lab: true")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "hostmuster.tasks.program", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert [line for line in told if line not in done.stderr.splitlines()] == []
    assert done.stderr.count(FULL) == 1


def test_a_full_disk_is_told_where_the_write_names_no_file() -> None:
    with pytest.raises(OSError) as caught, Path("/dev/full").open("w") as full:
        full.write("x")
    assert str(of_file(caught.value)).startswith("No space left on device")
    reset = ConnectionResetError(104, "Connection reset by peer")
    with pytest.raises(ConnectionResetError):
        of_file(reset)
