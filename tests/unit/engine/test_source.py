"""Which revision a host was made by, and whether files differed from it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hostmuster.engine.source import Source
from hostmuster.errors import Refused


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project below the top of a repository, with one commit."""
    project = tmp_path / "project"
    project.mkdir()
    git(tmp_path, "init", "-q")
    commit(project, "one")
    return project


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=ada", "-c", "user.email=ada@example.net")
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commit(project: Path, text: str) -> str:
    (project / "file").write_text(text)
    git(project, "add", "file")
    git(project, "commit", "-q", "-m", text)
    return git(project, "rev-parse", "--short=12", "HEAD")


def test_a_tree_that_differs_from_its_commit_is_marked(tree: Path) -> None:
    at = git(tree, "rev-parse", "--short=12", "HEAD")
    assert Source(tree).revision == at
    (tree / "file").write_text("changed")
    assert Source(tree).revision == f"{at}+"


def test_so_is_one_with_a_file_that_is_in_no_commit(tree: Path) -> None:
    (tree / "new").touch()
    assert str(Source(tree).revision).endswith("+")


def test_what_lies_beside_the_project_does_not_count(tree: Path) -> None:
    (tree.parent / "notes").touch()
    assert not str(Source(tree).revision).endswith("+")


def test_outside_git_there_is_no_revision(tmp_path: Path) -> None:
    assert Source(tmp_path).revision is None
    Source(tmp_path).require_not_older("a", "0c210ac54321")


def test_without_git_it_is_refused_before_anything_is_touched(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tree))
    with pytest.raises(Refused, match="git is not installed"):
        Source(tree)


def test_a_tree_goes_on_from_what_a_changed_tree_applied_and_an_older_one_does_not(tree: Path) -> None:
    first = git(tree, "rev-parse", "--short=12", "HEAD")
    second = commit(tree, "two")
    Source(tree).require_not_older("a", f"{first}+")
    Source(tree).require_not_older("a", f"{second}+")
    git(tree, "checkout", "-q", first)
    with pytest.raises(Refused, match=f"revision {second}\\+, which this tree"):
        Source(tree).require_not_older("a", f"{second}+")
