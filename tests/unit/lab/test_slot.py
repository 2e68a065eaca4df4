"""Which /24 a lab owns: never one that another lab has."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostmuster.errors import Refused
from hostmuster.lab import folder
from hostmuster.lab.folder import LabFolder
from hostmuster.lab.slot import claim


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state folder of the test's own."""
    monkeypatch.setattr(folder, "STATE", tmp_path)


def test_the_default_lab_has_the_first_network_and_keeps_it() -> None:
    assert claim(LabFolder("lab"), None).slot == 0
    assert claim(LabFolder("lab"), 0).slot == 0


def test_other_labs_get_networks_of_their_own() -> None:
    assert len({claim(LabFolder(name), None).slot for name in ("lab", "a", "b", "c")}) == 4


def test_a_network_another_lab_has_is_refused_by_its_name() -> None:
    claim(LabFolder("first"), 7)
    with pytest.raises(Refused, match=r"10\.213\.7\.0/24 belongs to the lab first"):
        claim(LabFolder("second"), 7)
    assert folder.all_labs() == ("first",)


def test_a_lab_does_not_move_to_another_network_while_it_is_up() -> None:
    claim(LabFolder("lab"), 0)
    with pytest.raises(Refused, match="take it down first"):
        claim(LabFolder("lab"), 9)


def test_a_lab_of_another_version_is_still_seen() -> None:
    root = LabFolder("older").root
    root.mkdir()
    (root / "lab.json").write_text('{"slot": 255, "unknown": {"a": 1}}')
    assert claim(LabFolder("newer"), None).slot == 254


def test_when_every_network_is_taken_the_next_lab_is_refused() -> None:
    for slot in range(1, 256):
        claim(LabFolder(f"lab-{slot}"), slot)
    with pytest.raises(Refused, match="no network is left"):
        claim(LabFolder("one-more"), None)
