"""A link is switched by one rename: to what was declared, never into what it led to, and never missing for a reader."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import pytest

from tests.unit.onhost.test_program import functions


@pytest.fixture
def releases(tmp_path: Path) -> Path:
    """A folder with two releases, and `current` on the first."""
    for number in ("1", "2"):
        (tmp_path / "releases" / number).mkdir(parents=True)
    (tmp_path / "current").symlink_to("releases/1")
    return tmp_path


def switched(folder: Path, target: str, times: int = 1) -> subprocess.CompletedProcess[str]:
    """The script's own step; what it says is why it failed."""
    body = f"""tx=t unsynced='' SAID={folder}/said
    for _ in $(seq {times}); do switch_link link {folder}/current {target} || {{ echo "$why"; exit 1; }}; done"""
    return subprocess.run(["dash", "-c", f"{functions()}\n{body}"], capture_output=True, text=True, check=False)


def test_it_leads_to_the_declared_release_and_nothing_is_left_in_one(releases: Path) -> None:
    done = switched(releases, "releases/2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (releases / "current").readlink() == Path("releases/2")
    assert [list(one.iterdir()) for one in (releases / "releases").iterdir()] == [[], []]
    assert {path.name for path in releases.iterdir()} <= {"current", "releases", "said"}


def test_a_directory_in_its_place_is_refused_and_nothing_lands_inside_it(releases: Path) -> None:
    (releases / "current").unlink()
    (releases / "current").mkdir()
    done = switched(releases, "releases/2")
    assert done.returncode == 1
    assert "cannot overwrite directory" in done.stdout
    assert list((releases / "current").iterdir()) == []


def test_a_reader_never_finds_it_missing(releases: Path) -> None:
    seen: set[str] = set()
    over = threading.Event()

    def reads() -> None:
        while not over.is_set():
            seen.add(str((releases / "current").readlink()))

    reader = threading.Thread(target=reads)
    reader.start()
    for number in ("2", "1", "2"):
        assert switched(releases, f"releases/{number}", times=20).returncode == 0
    over.set()
    reader.join()
    assert seen == {"releases/1", "releases/2"}
