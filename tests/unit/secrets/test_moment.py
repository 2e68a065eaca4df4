"""When what a unit reads last changed: by a link of its own, which a switch that does not concern it leaves alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hostmuster.resources.step import PutLink
from hostmuster.secrets.moment import FOLDER, MOMENT, kept, made

HOST = FOLDER.rpartition("/")[0]
UNIT = "api@1.service"


def run(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """As on a host whose folder of hostmuster's this is."""
    own = [word.replace(HOST, str(folder)) for word in argv]
    return subprocess.run(own, capture_output=True, text=True, check=False)


def moment(folder: Path, unit: str = UNIT) -> str:
    done = run(folder, "dash", "-c", f'{MOMENT}moment "$1"', "sh", unit)
    assert done.stderr == ""
    return done.stdout.strip() if done.returncode == 0 else "never"


def link(path: Path, number: int, at_s: int) -> None:
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(f"generations/{number}")
    os.utime(path, (at_s, at_s), follow_symlinks=False)


@pytest.fixture
def switched(tmp_path: Path) -> Path:
    """A host whose last switch was at 1000 s, by a hostmuster that kept no moment of a unit's own."""
    link(tmp_path / "current", 3, 1000)
    return tmp_path


def test_where_nothing_was_ever_switched_there_is_none(tmp_path: Path) -> None:
    assert moment(tmp_path) == "never"


def test_a_unit_without_its_own_has_that_of_the_last_switch(switched: Path) -> None:
    assert moment(switched) == "1000.000000"


def test_a_switch_that_does_not_concern_a_unit_leaves_its_moment(switched: Path) -> None:
    for number, at_s in ((4, 2000), (5, 3000)):
        assert run(switched, *kept([UNIT]).argv).returncode == 0
        link(switched / "current", number, at_s)
        assert moment(switched) == "1000.000000"
        assert moment(switched, "another.service") == f"{at_s}.000000"


def test_one_that_does_makes_it_anew(switched: Path) -> None:
    assert run(switched, *kept([UNIT]).argv).returncode == 0
    (new,) = made([UNIT], 4)
    assert new == PutLink(f"{FOLDER}/{UNIT}", "generations/4")
    link(Path(new.path.replace(HOST, str(switched))), 4, 2000)
    assert moment(switched) == "2000.000000"


def test_the_first_switch_of_all_has_none_to_keep(tmp_path: Path) -> None:
    assert run(tmp_path, *kept([UNIT]).argv).returncode == 0
    assert moment(tmp_path) == "never"
