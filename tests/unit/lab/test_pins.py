"""Pins: the known_hosts file is exactly the lab's hosts, as plain lines."""

from __future__ import annotations

import os
from pathlib import Path

from hostmuster.lab import pins


def test_the_pins_are_replaced_and_plain(tmp_path: Path) -> None:
    file = tmp_path / "known_hosts" / "lab"
    pins.write(file, {"10.213.0.11": "ssh-ed25519 AAAA1", "10.213.0.12": "ssh-ed25519 AAAA2"})
    pins.write(file, {"10.213.0.12": "ssh-ed25519 AAAA3"})
    assert file.read_text() == "10.213.0.12 ssh-ed25519 AAAA3\n"
    assert [entry.name for entry in file.parent.iterdir()] == ["lab"]
    assert file.stat().st_uid == os.getuid()
