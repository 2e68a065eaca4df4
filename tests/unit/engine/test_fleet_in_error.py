"""Errors of a fleet that cannot be opened: the fleet file's own first, and no value of the store in any of them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from hostmuster.engine import command
from hostmuster.engine.job import Job
from hostmuster.engine.operation import _opened
from hostmuster.errors import Refused
from hostmuster.model.declared import existing
from hostmuster.project import Project
from hostmuster.secrets.founding import found_store
from hostmuster.secrets.place import store_path
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret
from hostmuster.tasks.job import Options
from tests.items.project import REPOSITORY, fleet

VALUE = "correct-horse_battery/staple"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A value of its store stands in the fleet file, where an address should."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for variable in ("XDG_CONFIG_HOME", "SOPS_AGE_KEY_FILE", "HOSTMUSTER_SECRETS"):
        monkeypatch.delenv(variable, raising=False)
    fleet(tmp_path, {})
    (tmp_path / "deploys").symlink_to(REPOSITORY / "deploys")
    founded = found_store(store_path(Project(tmp_path), "unit"), "unit", (), {}, tmp_path / "home")
    founded.store.set("db-password", Secret(VALUE), "opaque")
    written = tmp_path / "inventory" / "unit.yml"
    written.write_text(written.read_text().replace("- 192.0.2.1\n", f"- {VALUE}\n", 1))
    return tmp_path


def said(project: Path, capsys: pytest.CaptureFixture[str], fleet: str = "unit") -> dict[str, Any]:
    """The one event by which `check` ends."""
    assert command.main(Job(command="check", project=project, fleet=fleet, holder="test").model_dump_json()) == 3
    (line,) = capsys.readouterr().out.splitlines()
    event: dict[str, Any] = json.loads(line)
    assert (event["event"], event["exit"]) == ("error", 3)
    return event


def test_a_value_that_was_written_into_the_fleet_file_is_taken_out_of_its_error(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = said(project, capsys)["text"]
    assert "settings.clock.servers" in text
    assert "[redacted]" in text
    assert VALUE not in text


@pytest.mark.parametrize("length", [64, 300])
def test_so_is_one_that_is_too_long_to_be_quoted_whole(
    project: Path, length: int, capsys: pytest.CaptureFixture[str]
) -> None:
    value = (hashlib.sha512(b"long").hexdigest() * 3)[:length]
    Store.open(Project(project), "unit").set("long", Secret(value), "opaque")
    written = project / "inventory" / "unit.yml"
    written.write_text(written.read_text().replace(VALUE, value).replace("debian: 12", f"debian: {value}"))
    text = said(project, capsys)["text"]
    assert "[redacted]" in text
    assert value[:20] not in text
    assert value[36:56] not in text


def test_so_it_is_where_plain_pyinfra_runs_the_checklist(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(_opened(project, "unit"), Refused)
    told = capsys.readouterr().err
    assert "[redacted]" in told
    assert VALUE not in told


def test_the_fleet_files_mistakes_are_told_before_a_store_is_asked_for(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store_path(Project(project), "unit").unlink()
    assert "clock.servers" in said(project, capsys)["text"]


def test_so_they_are_where_the_store_itself_is_broken(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store_path(Project(project), "unit").write_text("secrets: [\n")
    assert "clock.servers" in said(project, capsys)["text"]


def test_a_store_that_nobody_here_opens_keeps_no_error_back(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "home" / ".config" / "hostmuster" / "age.txt").unlink()
    with pytest.raises(Refused, match="no identity here opens"):
        Store.open(Project(project), "unit").verify()
    assert "clock.servers" in said(project, capsys)["text"]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("a" * 300, "has 300 characters"),
        ("a" * 260 + "/b", "has 262 characters"),
        ("../unit", "is not a host name's label"),
        ("a/b", "is not a host name's label"),
    ],
)
def test_a_name_that_no_fleet_can_have(project: Path, name: str, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(project, capsys, name)["text"]
    assert text.startswith("--fleet: the fleet name `")
    assert what in text


@pytest.mark.parametrize("name", ["la\udcffb", "\ud800"])
def test_a_name_that_is_no_text(project: Path, name: str) -> None:
    with pytest.raises(Refused, match="not UTF-8 text"):
        existing(Project(project), name)
    with pytest.raises(Refused, match="not UTF-8 text"):
        Options(fleet=name, project=str(project)).job("check")
