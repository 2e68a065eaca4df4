"""A run is timed from its first process to its last, and counts only if all of them end well."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.run import Process, peak_memory_mib, run
from hostmuster.errors import HostmusterError


def shell(folder: Path, script: str) -> Process:
    return Process(("sh", "-c", script), folder)


def test_processes_run_side_by_side(tmp_path: Path) -> None:
    meeting = "echo >{0}; until [ -e {1} ]; do sleep 0.01; done; echo {0}"
    finished = run([shell(tmp_path, meeting.format("a", "b")), shell(tmp_path, meeting.format("b", "a"))])
    assert finished.outputs == ("a\n", "b\n")


def test_a_run_in_which_one_fails_is_none(tmp_path: Path) -> None:
    with pytest.raises(HostmusterError, match="ended with 3: no such host"):
        run([shell(tmp_path, "true"), shell(tmp_path, "echo no such host >&2; exit 3")])


def test_memory_is_that_of_a_process_and_those_it_starts(tmp_path: Path) -> None:
    big = f"{sys.executable} -c 'import time; x = bytearray(80 << 20); time.sleep(0.3)'"
    alone, two = (peak_memory_mib(shell(tmp_path, script)) for script in (f"{big}; :", f"{big} & {big}; wait"))
    assert 80 < alone < 160 < two
