"""What a command names and the project does not have is refused, with what there is, before any host is touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hostmuster.engine import command
from hostmuster.engine.job import Job
from hostmuster.engine.opening import open_fleet
from hostmuster.errors import Refused
from hostmuster.project import Project
from hostmuster.secrets.founding import found_store
from hostmuster.secrets.place import store_path
from tests.items.project import REPOSITORY, fleet


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two hosts, and a store for them."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for variable in ("XDG_CONFIG_HOME", "SOPS_AGE_KEY_FILE", "HOSTMUSTER_SECRETS"):
        monkeypatch.delenv(variable, raising=False)
    fleet(tmp_path, {})
    (tmp_path / "deploys").symlink_to(REPOSITORY / "deploys")
    found_store(store_path(Project(tmp_path), "unit"), "unit", (), {}, tmp_path / "home")
    return tmp_path


def refused(project: Path, **job: Any) -> Refused:
    """Why the job is not begun."""
    with pytest.raises(Refused) as caught:
        open_fleet(Job(command="check", project=project, holder="test", **{"fleet": "unit", **job}))
    assert caught.value.exit_code == 3
    return caught.value


def test_a_fleet_that_nobody_declares(project: Path) -> None:
    error = refused(project, fleet="unti")
    assert error.what == "there is no fleet `unti`"
    assert "did you mean `unit`?" in error.remedy


def test_a_fleet_without_a_store(project: Path) -> None:
    store_path(Project(project), "unit").unlink()
    assert refused(project).what == "there is no secrets store"


def test_a_host_and_an_item_that_nobody_declares(project: Path) -> None:
    assert refused(project, limit=("server-1", "server-9")).what == "no host is named server-9"
    assert refused(project, canary="worker-9").what == "no host is named worker-9"
    assert refused(project, item="clok").what == "no item is named clok"


def test_what_is_declared_is_opened(project: Path) -> None:
    opening = open_fleet(Job(command="check", project=project, fleet="unit", limit=("worker-1",), holder="test"))
    assert [host.name for host in opening.hosts] == ["worker-1"]


def test_a_parser_that_this_machine_lacks_is_told_in_the_run_itself(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hostmuster.lint.parser._path", lambda: str(project / "nothing"))
    job = Job(command="check", project=project, fleet="unit", limit=(), holder="test")
    assert command.main(job.model_dump_json()) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = [event["text"] for event in events if event["event"] == "warning"]
    needs = "not run here: the parser of hostmuster.conf, hostmuster.sources (it needs chronyd)"
    assert [text for text in told if text.startswith(needs)] == [f"{needs}; each host's own reads it before the switch"]
