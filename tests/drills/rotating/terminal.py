"""A command at a terminal, where somebody types."""

from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from tests.lab.fleet_on_lab import FleetOnLab


def typed(fleet: FleetOnLab, answers: Sequence[str], *words: str) -> tuple[int, str]:
    """The command where somebody types these lines: its exit code, and what the terminal shows."""
    ours, theirs = pty.openpty()
    os.write(ours, "".join(f"{answer}\n" for answer in answers).encode())
    with ThreadPoolExecutor(1) as pool:
        # Beside it: a terminal that nobody reads is full after 4 KiB.
        shown = pool.submit(_read, ours)
        try:
            done = subprocess.run(
                fleet.command(*words),
                cwd=fleet.folder,
                env=fleet.environment,
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                timeout=300,
                check=False,
            )
        finally:
            os.close(theirs)
    os.close(ours)
    return done.returncode, shown.result().replace("\r\n", "\n")


def _read(terminal: int) -> str:
    """Until nobody has its other end any more; then Linux says EIO."""
    read = b""
    with suppress(OSError):
        while part := os.read(terminal, 65536):
            read += part
    return read.decode(errors="replace")
