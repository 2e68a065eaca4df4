"""An operator at a terminal, who types a password when asked for it."""

from __future__ import annotations

import os
import pty
import select
import time
from pathlib import Path

from tests.lab.fleet_on_lab import FleetOnLab


def typed(fleet: FleetOnLab, *words: str, answer: str, timeout_s: float = 60) -> tuple[int, str]:
    """Runs a command on a terminal of its own. Its exit code, and all that stood on the terminal."""
    argv = fleet.command(*words)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(fleet.folder)
        os.execve(argv[0], argv, fleet.environment)  # noqa: S606  # a command line of our own, no shell
    shown = b""
    asked = False
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                chunk = os.read(terminal, 65536)
            except OSError:  # the terminal of a process that has ended
                break
            if not chunk:
                break
            shown += chunk
        if not asked and b"password on the hosts:" in shown:
            time.sleep(0.2)
            os.write(terminal, answer.encode() + b"\n")
            asked = True
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert asked, shown.decode(errors="replace")
    return os.waitstatus_to_exitcode(status), shown.decode(errors="replace")


def holds(folder: Path, value: str) -> list[str]:
    """The files below a folder that hold the value."""
    return [
        str(path)
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and value.encode() in path.read_bytes()
    ]
