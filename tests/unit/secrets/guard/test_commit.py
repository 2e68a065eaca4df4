"""A commit with a secret in it does not happen: git itself asks `secrets.guard` before each."""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from hostmuster.secrets.store import Store

from ..conftest import ROOT, Operator
from .repository import PASSWORD, committed, git


def test_the_store_and_plain_files_are_committed(repository: Operator) -> None:
    git(repository, "add", "--all")
    made = git(repository, "commit", "--message", "the store")
    assert made.returncode == 0, made.stderr
    assert "project/secrets/lab.yml" in git(repository, "ls-files").stdout


def test_a_commit_with_a_known_value_is_not_made(repository: Operator) -> None:
    said = committed(repository, "docs/notes.txt", PASSWORD)
    assert "project/docs/notes.txt:1: the value of db-password (lab.yml) stands there" in said
    assert git(repository, "rev-list", "--all").stdout == ""


def test_only_what_is_staged_counts(repository: Operator) -> None:
    (repository.project / "scratch.txt").write_text(PASSWORD)
    assert committed(repository, "plain.txt", "nothing to see") == ""
    (repository.project / "plain.txt").write_text(PASSWORD)  # changed again, and not staged
    assert committed(repository, "other.txt", "nothing here") == ""
    said = git(repository, "commit", "--all", "--message", "now it is")
    assert "project/plain.txt:1: the value of db-password" in said.stderr


def test_who_cannot_open_the_store_is_told_so_and_may_commit(repository: Operator) -> None:
    repository.age_file.unlink()
    assert committed(repository, "docs/notes.txt", PASSWORD) == ""
    said = repository.run("secrets.guard")
    assert said.returncode == 0
    assert b"not searched for: values of lab.yml: no identity here opens this store" in said.stderr


def test_a_store_that_was_tampered_with_is_no_store_to_search_by(repository: Operator) -> None:
    text = repository.path.read_text()
    repository.path.write_text(text.replace("kind_unencrypted: opaque", "kind_unencrypted: fernet", 1))
    assert "MAC is wrong" in committed(repository, "plain.txt", "nothing")


def test_a_folder_that_is_no_work_tree_is_refused(operator: Operator, store: Store) -> None:
    refused = operator.run("secrets.guard")
    assert refused.returncode == 3
    assert b"not a git repository" in refused.stderr


def test_the_hook_of_pre_commit_runs_this_command() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["entry"] == "hostmuster secrets.guard"
    assert (hook["pass_filenames"], hook["always_run"]) == (False, True)
    assert Path(sys.executable).with_name("hostmuster").exists()
