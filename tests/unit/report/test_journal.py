"""Journals of runs: who is over, and which are forgotten."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hostmuster.report import journal
from hostmuster.report.journal import Journal, is_over
from hostmuster.report.redaction import Redaction
from hostmuster.secrets.value import Secret


def test_a_run_is_over_once_its_process_let_go_of_its_journal(tmp_path: Path) -> None:
    with Journal(tmp_path, "0000000a", Redaction()):
        assert not is_over(tmp_path, "0000000a")
    assert is_over(tmp_path, "0000000a")
    assert not is_over(tmp_path, "0000000b"), "a run of another clone: nothing is known of it"


def test_a_line_is_on_file_before_the_step_and_holds_no_secret(tmp_path: Path) -> None:
    with Journal(tmp_path, "0000000a", Redaction([Secret("correct horse battery")])) as written:
        written.write("host", text="password correct horse battery")
        line = json.loads(written.path.read_text().splitlines()[0])
    assert line["text"] == "password [redacted]"
    assert written.path.stat().st_mode & 0o777 == 0o600


def test_the_oldest_journals_go_and_what_holds_evidence_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "KEPT", 2)
    for age, run in enumerate(["00000001", "00000002", "00000003"]):
        with Journal(tmp_path, run, Redaction()) as written:
            pass
        os.utime(written.path, (1000 + age, 1000 + age))
    (tmp_path / "00000002" / "evidence.json").write_text("{}")
    with Journal(tmp_path, "00000004", Redaction()):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00000002", "00000003", "00000004"]
