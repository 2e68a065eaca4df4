"""A person at a terminal, who is asked whether that is the host's key."""

from __future__ import annotations

import os
import pty

from tests.lab.fleet_on_lab import FleetOnLab


def answered(fleet: FleetOnLab, *words: str, answer: str, question: str = "(yes/no)") -> tuple[int, str]:
    """Runs a command on a terminal of its own. Its exit code, and all that stood on the terminal."""
    argv = fleet.command(*words)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(fleet.folder)
        os.execve(argv[0], argv, fleet.environment)  # noqa: S606  # a command line of our own, no shell
    shown = b""
    asked = False
    while chunk := _read(terminal):
        shown += chunk
        if not asked and question.encode() in shown:
            os.write(terminal, answer.encode() + b"\n")
            asked = True
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode(errors="replace").replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the terminal of a process that has ended
        return b""
