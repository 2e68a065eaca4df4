"""Mistakes come once with the hosts they hit; what was parsed before is not parsed again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hostmuster.engine.lint import lint
from hostmuster.lint.cache import MOST, Cache
from hostmuster.lint.linter import Artefact
from hostmuster.resources.file import File

BAD = File("/etc/systemd/system/a.service", b"[Service]\nExecStart=/bin/true\nRestart=allways\n", lint="systemd-unit")


def test_a_mistake_is_said_once_with_the_hosts_it_would_hit(tmp_path: Path) -> None:
    (problem,) = lint([(f"h{n}", "units", BAD) for n in range(5)], Cache(tmp_path))
    assert problem.where == "h0, h1, h2 and 2 more, units, /etc/systemd/system/a.service"
    assert problem.what.startswith("line 3: Failed to parse service restart specifier")


def test_the_second_time_the_parser_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = tmp_path / "asked"
    (tmp_path / "bin").mkdir()
    script = f'#!/bin/sh\necho "$1" >>{asked}\nexec /usr/bin/systemd-analyze "$@"\n'
    (tmp_path / "bin" / "systemd-analyze").write_text(script)
    (tmp_path / "bin" / "systemd-analyze").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    first = list(lint([("h", "units", BAD)], Cache(tmp_path)))
    once = asked.read_text()
    assert first
    assert list(lint([("h", "units", BAD)], Cache(tmp_path))) == first
    assert asked.read_text() == once


def test_without_the_parser_only_our_own_rules_speak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    silent = File(
        "/etc/systemd/system/a.service", b"[Service]\nRestart=allways\nStartLimitBurst=3\n", lint="systemd-unit"
    )
    (problem,) = lint([("h", "units", silent)], Cache(tmp_path))
    assert problem.what == "line 3: StartLimitBurst belongs in [Unit]"


def test_a_parser_of_another_version_is_asked_anew(tmp_path: Path) -> None:
    artefact = Artefact("/x", b"y")
    cache = Cache(tmp_path)
    cache.put("systemd-unit", "252", {artefact: ["wrong"]})
    assert cache.get("systemd-unit", "252", artefact) == ["wrong"]
    assert cache.get("systemd-unit", "257", artefact) is None
    assert cache.get("systemd-unit", "252", Artefact("/z", b"y")) is None


def test_a_damaged_entry_counts_as_none(tmp_path: Path) -> None:
    cache, artefact = Cache(tmp_path), Artefact("/x", b"y")
    cache.put("chrony", "4", {artefact: []})
    for entry in tmp_path.iterdir():
        entry.write_text("{half")
    assert cache.get("chrony", "4", artefact) is None


def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache, artefact = Cache(tmp_path / "file"), Artefact("/x", b"y")
    cache.put("chrony", "4", {artefact: []})
    assert cache.get("chrony", "4", artefact) is None


def test_those_unused_longest_go_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    old, new = Artefact("/old", b""), Artefact("/new", b"")
    cache.put("chrony", "4", {old: []})
    for entry in tmp_path.iterdir():
        os.utime(entry, (1, 1))
    cache.put("chrony", "4", {Artefact(f"/{n}", b""): [] for n in range(MOST - 1)} | {new: []})
    assert len(list(tmp_path.iterdir())) == MOST
    assert cache.get("chrony", "4", old) is None
    assert cache.get("chrony", "4", new) == []
