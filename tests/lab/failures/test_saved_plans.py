"""A saved plan is applied exactly, or not at all."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.lab.failures.trial import BOOKWORM, HOSTS, THIRD, TRIXIE, Trial, texts


def test_a_saved_plan_changes_what_it_says_and_no_host_beside(trial: Trial, tmp_path: Path) -> None:
    trial.want(plain={"text": "planned"})
    plan = tmp_path / "plan.json"
    assert trial.fleet.run("check", "--limit", f"{BOOKWORM},{TRIXIE}", "--out", str(plan)).exit == 2
    body = json.loads(plan.read_text())
    assert body["hosts"][BOOKWORM]["will"] == {"plain": ["restart trial.service"]}
    assert any("/etc/trial.conf" in line for line in body["hosts"][TRIXIE]["differences"]["plain"])
    done = trial.apply("--plan", str(plan))
    assert done.exit == 0, done.errors
    assert list(done.document["hosts"]) == [BOOKWORM, TRIXIE]
    assert texts(trial)[:2] == ["planned"] * 2
    assert trial.on(THIRD, "cat /etc/trial.conf") != "planned"


def test_a_saved_plan_of_one_item_changes_that_item_alone(trial: Trial, tmp_path: Path) -> None:
    trial.want(plain={"text": "single"}, armed={"number": 51})
    plan = tmp_path / "plan.json"
    assert trial.fleet.run("check", "--item", "plain", "--out", str(plan)).exit == 2
    done = trial.apply("--plan", str(plan))
    assert done.exit == 0, done.errors
    assert texts(trial) == ["single"] * 3
    assert trial.on(BOOKWORM, "cat /etc/trial-armed.conf") != "51"


def test_a_stale_plan_is_refused_and_touches_nothing(trial: Trial, tmp_path: Path) -> None:
    trial.want(plain={"text": "stale"})
    plan = tmp_path / "plan.json"
    assert trial.fleet.run("check", "--out", str(plan)).exit == 2
    trial.on(TRIXIE, "chmod 0600 /etc/trial.conf")
    refused = trial.apply("--plan", str(plan))
    assert refused.exit == 3
    assert f"the plan is stale: {TRIXIE} moved on" in refused.document["error"]
    assert "stale" not in texts(trial)
    assert trial.apply().exit == 0
    again = trial.apply("--plan", str(plan))
    assert again.exit == 3, "applied once, it is stale on every host"
    assert ", ".join(HOSTS) in again.document["error"]


def test_a_plan_for_another_fleet_is_refused(trial: Trial, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    trial.fleet.run("check", "--out", str(plan))
    plan.write_text(json.dumps({**json.loads(plan.read_text()), "fleet": "elsewhere"}))
    refused = trial.apply("--plan", str(plan))
    assert refused.exit == 3
    assert "for the fleet elsewhere" in refused.document["error"]


def test_a_tree_older_than_what_was_applied_is_refused(trial: Trial) -> None:
    def git(*words: str) -> None:
        person = ("-c", "user.name=Ada", "-c", "user.email=ada@example.net")
        subprocess.run(["git", *person, *words], cwd=trial.fleet.folder, check=True, capture_output=True)

    git("init", "--initial-branch=main")
    git("commit", "--allow-empty", "--message=older")
    assert trial.apply().exit == 0
    git("commit", "--allow-empty", "--message=newer")
    trial.want(plain={"text": "newer"})
    assert trial.apply().exit == 0
    git("checkout", "--quiet", "HEAD~1")
    trial.want(plain={"text": "older"})
    refused = trial.apply()
    assert refused.exit == 3
    assert "which this tree" in refused.document["error"]
    assert "pull and merge" in refused.document["error"]
    assert texts(trial) == ["newer"] * 3
    git("checkout", "--quiet", "main")
    assert trial.apply().exit == 0
    (trial.fleet.folder / ".git").rename(trial.fleet.folder / "git-was")
