"""The queue's settings: what it refuses to start with. What it does is shown on hosts, where a database is (H19)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hostmuster.lab.workload.timing import Timing
from tests.unit.workload.process import environment, run, start_with

SQLITE = "sqlite:////var/lib/workload/data.db"
POSTGRES = "postgresql://service@127.0.0.1/service"
WORKER = {"WORKLOAD_HOST": "worker-1", "WORKLOAD_WORKER_ID": "worker-1"}


@pytest.mark.parametrize("words", [(), ("worker",)])
@pytest.mark.parametrize("several", ["true", "false"])
def test_tasks_are_not_in_a_file_of_one_host(opt: Path, words: tuple[str, ...], several: str) -> None:
    given = environment(8080, WORKLOAD_QUEUE="true", DATABASE_URL=SQLITE, BACKEND_MULTI_INSTANCE=several)
    code, said = start_with(opt, given, *words)
    assert (code, said) == (
        78,
        "DATABASE_URL is SQLite, and several replicas cannot share a file: they need postgresql://\n",
    )


@pytest.mark.parametrize("words", [(), ("worker",)])
def test_without_the_driver_nothing_else_is_used_in_its_place(opt: Path, words: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(opt / "workload"), *words],  # -S: no library but Python's own
        env=environment(8080, WORKLOAD_QUEUE="true", DATABASE_URL=POSTGRES),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    said = "python3-psycopg is not installed, and DATABASE_URL is PostgreSQL\n"
    assert (done.returncode, done.stderr) == (78, said)


def test_a_worker_tells_all_that_it_lacks_at_once(opt: Path) -> None:
    code, said = start_with(opt, {"WORKLOAD_SLOTS": "many", "WORKLOAD_SWEEP_S": "0"}, "worker")
    assert code == 78
    assert [line.split()[0] for line in said.splitlines()] == [
        "WORKLOAD_HOST",
        "WORKLOAD_WORKER_ID",
        "WORKLOAD_SLOTS",
        "WORKLOAD_SWEEP_S",
        "DATABASE_URL",
    ]


def test_a_queue_without_a_database_does_not_start(opt: Path) -> None:
    code, said = start_with(opt, environment(8080, WORKLOAD_QUEUE="true"))
    assert (code, said) == (78, "DATABASE_URL is not set: tasks are in a database\n")


@pytest.mark.parametrize("sweep_s", [3, 9, 300])
def test_a_lease_and_the_look_that_finds_it_over_are_within_the_declared_time(sweep_s: int) -> None:
    timing = Timing(sweep_s)
    assert timing.lease_s + timing.beat_s < sweep_s
    assert timing.beat_s * 4 <= timing.lease_s


def test_what_is_in_a_worktree_is_told_by_digests_and_a_missing_one_by_its_exit_code(opt: Path, tmp_path: Path) -> None:
    (tmp_path / "task-7").mkdir()
    (tmp_path / "task-7" / "result").write_text("task 7 was done\n")
    here = {"WORKLOAD_WORKTREES": str(tmp_path)}
    done = run(opt, here, "worktree", "7")
    assert (done.returncode, sorted(json.loads(done.stdout)["files"])) == (0, ["result"])
    done = run(opt, here, "worktree", "8")
    assert (done.returncode, done.stderr) == (66, "no worktree of task 8 is here\n")
    assert run(opt, here, "worktree", "../etc").returncode == 64
