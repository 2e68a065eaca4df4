"""A host's monitor in a folder, and a webhook's receiver."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.receiver import Receiver
from tests.unit.monitor.monitored import Monitored


@pytest.fixture
def monitored(tmp_path: Path) -> Monitored:
    """Nothing was ever run."""
    return Monitored(tmp_path)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Listens on a free port of the loopback."""
    with Receiver("127.0.0.1") as one:
        yield one


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 512 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", place], check=True)
    yield place
    subprocess.run(["umount", place], check=True)
