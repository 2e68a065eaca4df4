"""A lab of a test's own, and a project for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from hostmuster.lab.disk import DEFAULT_BYTES
from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.fleet_on_lab import FleetOnLab

Machines = Callable[[Subnet], Sequence[Machine]]
Fleet = TypeVar("Fleet", bound=FleetOnLab)


@contextmanager
def own_lab(
    folders: pytest.TempPathFactory,
    what: str,
    machines: Machines,
    kind: Callable[[Path, str], Fleet],
    disk_bytes: int = DEFAULT_BYTES,
) -> Iterator[tuple[Fleet, Lab]]:
    """Bare hosts, and an empty project of this kind that pins their keys.

    The lab is called `test-PID-WHAT`: by that, tests take away what a killed run of theirs left.
    """
    name = f"test-{os.getpid()}-{what}"
    fleet = kind(folders.mktemp(what) / "project", name)
    with Lab.up(machines, name=name, known_hosts=fleet.known_hosts, disk_bytes=disk_bytes) as lab:
        yield fleet, lab
