"""Disks, backups, commands and URLs: each check of the monitor on what it really asks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.receiver import Receiver
from tests.unit.monitor.monitored import Monitored


def test_a_full_disk_and_one_that_is_not_mounted_are_named(monitored: Monitored, small_disk: Path) -> None:
    # One of its own: how full the machine's is changes while labs come and go beside this.
    (small_disk / "half").write_bytes(bytes(256 << 10))
    assert monitored.check(f"disk {small_disk} 50 100") == ("failed", "50% used, limit 50%")
    assert monitored.check(f"disk {small_disk} 100 1")[1].endswith("% of inodes used, limit 1%")
    assert monitored.check(f"disk {small_disk} 100 100")[0] == "ok"
    assert monitored.check("disk /not/mounted 90 90") == ("failed", "is not mounted")


def test_a_backup_is_as_old_as_its_marker(monitored: Monitored, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    assert monitored.check(f"backup db {marker} 90000") == ("failed", f"none yet: {marker} is not there")
    ages = {3600: "ok", 90000: "ok", 90060: "failed", -200: "ok", -9000: "failed"}
    for age, status in ages.items():
        marker.touch()
        os.utime(marker, (monitored.now, monitored.now - age))
        assert monitored.check(f"backup db {marker} 90000", after=0)[0] == status, age
    os.utime(marker, (monitored.now, monitored.now - 200000))
    assert monitored.check(f"backup db {marker} 90000", after=0) == ("failed", "the last one is 2 days old, limit 25 h")


@pytest.mark.parametrize(
    ("command", "status", "seen"),
    [
        ("test -d /", "ok", "succeeds"),
        ("echo first; echo it is broken >&2; exit 3", "failed", "it is broken"),
        ("exit 3", "failed", "exit 3"),
        (r"printf 'a\tb\033[31m\n'; false", "failed", "a b?[31m"),
    ],
)
def test_a_command_that_fails_is_shown_by_its_last_line(
    monitored: Monitored, command: str, status: str, seen: str
) -> None:
    assert monitored.check(f"command own {command}") == (status, seen)


def test_a_url_answers_or_is_named_with_why(monitored: Monitored, receiver: Receiver) -> None:
    assert monitored.check(f"url web {receiver.origin}/health") == ("ok", "answers 200")
    receiver.down()
    status, seen = monitored.check(f"url web {receiver.origin}/health")
    assert status == "failed"
    assert "Failed to connect" in seen
