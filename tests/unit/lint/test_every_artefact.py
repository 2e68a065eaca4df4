"""Every file that an item writes is read by its consumer's parser, or it is said here why it has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploys.checklist import CHECKLIST
from hostmuster.engine.catalogue import compile_fleet
from hostmuster.engine.lint import LINTERS, not_parsed
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from hostmuster.resources.file import File
from tests.items.project import PUBLIC, REPOSITORY

SCHEMAS = {module.ITEM.name: module.ITEM.settings for module in CHECKLIST}
NO_PARSER = {
    "/etc/hostmuster/gate/peers": "the start gate's own lines, which it reads itself and its tests run",
    "/etc/hostmuster/monitor/checks": "the monitor's own lines, which it reads itself and its tests run",
    "/etc/hostname": "a name alone; the effect compares the host's own",
    "/etc/hosts": "getent on the host is its parser, and an effect asks it",
    "/etc/ssh/hostmuster/known_hosts": "ssh-keygen passes over marked lines; an effect logs in to a neighbour by it",
    "/etc/ssh/hostmuster/principals": "a name alone",
    "/etc/tmpfiles.d/hostmuster-content.conf": "one line; systemd-tmpfiles has no trial run before 256",
    "/etc/systemd/timesyncd.conf.d/hostmuster.conf": "systemd has no command that reads it and says what is wrong",
}
BY_FOLDER = {
    "/etc/postgresql/": "PostgreSQL tries no configuration without its cluster; its readiness afterwards decides",
    "/etc/hostmuster/containers/": "environment for docker, which takes a line as it stands; machine ids",
    "/opt/workload/": "the repository's own Python, which ruff and mypy read",
    "/srv/service/": "the service's own content",
}


def unread(path: str) -> bool:
    """Whether nobody says why a path has no grammar."""
    return path not in NO_PARSER and not path.startswith(tuple(BY_FOLDER))


@pytest.mark.parametrize("name", ["lab", "example"])
def test_each_file_has_a_grammar_or_a_reason(name: str) -> None:
    public = PUBLIC | {"operator/alice.pub": PUBLIC["ssh-ca.pub"], "operator/bob.pub": PUBLIC["ssh-ca.pub"]}
    fleet = load_fleet(Project(REPOSITORY), name, SCHEMAS, public=public)
    parts = [part for compiled in compile_fleet(fleet, CHECKLIST).hosts.values() for part in compiled]
    files = {one.path: one for part in parts for one in part.resources if isinstance(one, File)}
    assert len(files) > 15
    assert sorted(path for path, file in files.items() if file.lint is None and unread(path)) == []


def test_every_parser_is_on_this_machine() -> None:
    missing = {grammar for grammar, linter in LINTERS.items() if linter.version() is None}
    assert missing <= {"apparmor-12", "apparmor-13"}  # of these a machine has its own Debian's


def test_a_parser_that_is_missing_is_told_as_not_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("hostmuster.lint.parser._path", lambda: str(tmp_path))
    chrony = File("/etc/chrony/conf.d/x.conf", b"", validate=("chronyd", "-p", "-f"), lint="chrony")
    assert list(not_parsed([(host, "clock", chrony) for host in ("a", "b")])) == [
        "not run here: the parser of x.conf (it needs chronyd); each host's own reads it before the switch"
    ]
    ssh = File("/etc/ssh/ssh_config.d/x.conf", b"", lint="ssh")
    assert list(not_parsed([("a", "access", ssh)])) == [
        "not run here: the parser of x.conf (it needs ssh); and hosts do not check all of it"
    ]
