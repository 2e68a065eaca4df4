"""The inotify limit: raised for many guests, put back as it was, and never fought over."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostmuster.lab import kernel


@pytest.fixture
def limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that stands for the kernel's, with Debian's default."""
    setting = tmp_path / "max_user_instances"
    setting.write_text("128\n")
    monkeypatch.setattr(kernel, "INSTANCES", setting)
    monkeypatch.setattr(kernel, "BEFORE", tmp_path / "before")
    return setting


def test_it_is_raised_and_put_back(limit: Path) -> None:
    kernel.raise_limits()
    kernel.raise_limits()
    assert int(limit.read_text()) == kernel.ENOUGH
    kernel.restore_limits()
    assert int(limit.read_text()) == 128


def test_a_higher_limit_is_left_alone(limit: Path) -> None:
    limit.write_text("65536\n")
    kernel.raise_limits()
    kernel.restore_limits()
    assert int(limit.read_text()) == 65536


def test_what_someone_else_set_meanwhile_is_left_alone(limit: Path) -> None:
    kernel.raise_limits()
    limit.write_text("16384\n")
    kernel.restore_limits()
    assert int(limit.read_text()) == 16384


def test_the_old_value_is_known_even_if_raising_was_interrupted(limit: Path) -> None:
    kernel.raise_limits()
    limit.write_text("128\n")
    kernel.restore_limits()
    assert int(limit.read_text()) == 128
    assert not kernel.BEFORE.exists()
