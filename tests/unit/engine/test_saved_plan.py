"""A saved plan that cannot be read is refused in plain words, its path said once."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostmuster.engine.saved_plan import SavedPlan, save
from hostmuster.errors import Refused


def refused(path: Path) -> str:
    with pytest.raises(Refused) as caught:
        SavedPlan.load(path, "unit")
    assert caught.value.exit_code == 3
    text = str(caught.value)
    assert text.startswith(f"{path}: no plan can be read there: ")
    assert text.count(str(path)) == 1
    assert "hostmuster check --out FILE" in text
    return text


def test_a_plan_that_is_not_there(tmp_path: Path) -> None:
    assert "there: No such file or directory\n" in refused(tmp_path / "plan.json")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "Invalid JSON"),
        (b"\xff", "Invalid JSON"),
        (b"[]", "object"),
        (b"{}", "version: Field required"),
        (b'{"version": 1, "fleet": "unit", "hosts": {"a": 5}}', "hosts.a: "),
    ],
)
def test_a_file_that_is_no_plan(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(content)
    text = refused(path)
    assert says in text
    assert "_Saved" not in text
    assert "validation error" not in text


def test_one_that_was_saved_is_read(tmp_path: Path) -> None:
    save(tmp_path / "plan.json", "unit", {}, item="clock")
    assert SavedPlan.load(tmp_path / "plan.json", "unit").item == "clock"
