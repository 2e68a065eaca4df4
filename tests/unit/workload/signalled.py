"""Runs a program that gets SIGTERM at one of the lines by which its main thread waits, once it has a handler for it.

    python signalled.py LINE PROGRAM ARGUMENT...

PROGRAM: a folder or a module. Counted are the lines of each `wait` that it calls; the handler runs there and then. A
program that has not come to that line within a second, since it blocks, gets the signal then.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

SOON_S = 1.0
INSTALL = signal.signal


class Lines:
    """A trace function (sys.settrace) that counts them down, from when a handler is installed."""

    def __init__(self, left: int) -> None:
        self._left = left

    def __call__(self, frame: FrameType, event: str, _argument: object) -> Lines:
        if event == "line" and frame.f_code.co_name == "wait" and not of_a_thread(frame.f_back):
            self._left -= 1
            if self._left == -1:
                signal.raise_signal(signal.SIGTERM)
        return self

    def install(self, number: int, handler: signal._HANDLER) -> signal._HANDLER:
        """In the place of signal.signal."""
        before = INSTALL(number, handler)
        if number == signal.SIGTERM:
            late = threading.Timer(SOON_S, os.kill, (os.getpid(), signal.SIGTERM))
            late.daemon = True
            late.start()
            frame = sys._getframe().f_back
            while frame is not None:
                frame.f_trace = self
                frame = frame.f_back
            sys.settrace(self)
        return before


def of_a_thread(caller: FrameType | None) -> bool:
    """A thread's own wait for its start, which no handler touches."""
    return caller is not None and caller.f_code.co_filename == threading.__file__


def main(line: int, program: str) -> None:
    """Ends as the program does."""
    signal.signal = Lines(line).install  # type: ignore[assignment]  # as the program will find it
    if Path(program).is_dir():
        runpy.run_path(program, run_name="__main__")
    else:
        runpy.run_module(program, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    del sys.argv[0]
    main(int(sys.argv.pop(0)), sys.argv[0])
