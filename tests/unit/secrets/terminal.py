"""An operator at a terminal, who is asked for a secret."""

from __future__ import annotations

import os
import pty
import sys

from .conftest import Operator

PASSWORD = "correct horse battery staple"


def at_terminal(operator: Operator, *argv: str, typed: tuple[str, ...] = ()) -> tuple[int, str]:
    """The command with a terminal of its own; each answer is typed once the prompt before it has come."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(operator.project)
        command = [sys.executable, "-m", "hostmuster.tasks.program", *argv]
        os.execve(sys.executable, command, operator.environ)  # noqa: S606 - a terminal of its own needs a fork
    shown = b""
    answers = list(typed)
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the other end closed
            break
        if not piece:
            break
        shown += piece
        if answers and shown.endswith(b": "):
            os.write(terminal, answers.pop(0).encode() + b"\n")
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode().replace("\r\n", "\n")
