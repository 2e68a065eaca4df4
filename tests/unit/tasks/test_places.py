"""Where a command is typed: folders that are gone or cannot be written, fleets that are none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hostmuster.tasks.job import Options
from tests.unit.tasks.typed import ROOT, declare, hostmuster


def test_a_folder_in_which_nothing_can_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "inventory").mkdir()
    (tmp_path / "inventory" / "f.yml").write_text("fleet: f\nlab: true\nroles: {}\nhosts: {}\n")
    (tmp_path / "secrets").write_text("a file where a folder is to be")
    words = ["secrets.init", "--fleet", "f", "--project", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "hostmuster.tasks.program", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode in (1, 3)
    assert "Traceback" not in done.stderr
    assert str(tmp_path / "secrets") in done.stderr


@pytest.mark.parametrize("words", [["check"], ["secrets.list"], ["check", "--project", str(ROOT), "--out", "plan"]])
def test_a_working_directory_that_was_deleted_is_told_as_such(tmp_path: Path, words: list[str]) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", str(gone), sys.executable, "-P", "-m", "hostmuster.tasks.program", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.splitlines()[0]) == (3, "the working directory has been deleted")


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("idle", 0, "the lab idle is down"),
        ("nosuch", 3, "there is no fleet `nosuch`"),
        ("real", 3, "the fleet real is not declared as a lab"),
    ],
)
def test_only_a_lab_that_is_declared_can_be_down(tmp_path: Path, name: str, code: int, told: str) -> None:
    declare(tmp_path, "real" if name == "real" else "idle", "lab: false" if name == "real" else "lab: true")
    done = hostmuster("lab.status", "--fleet", name, "--project", str(tmp_path))
    assert (done.returncode, told in done.stdout + done.stderr) == (code, True)
    document = hostmuster("lab.status", "--json", "--fleet", name, "--project", str(tmp_path)).stdout
    assert json.loads(document).get("exit", 0) == code


def test_the_fleet_is_the_one_named_else_the_environments_else_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOSTMUSTER_FLEET", raising=False)
    project = str(ROOT)
    assert Options(project=project).job("check").fleet == "lab"
    monkeypatch.setenv("HOSTMUSTER_FLEET", "shop")
    assert Options(project=project).job("check").fleet == "shop"
    assert Options(project=project, fleet="other").job("check").fleet == "other"
