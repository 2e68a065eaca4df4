"""Takes a fault back where its target cannot: after so many seconds, or as soon as whoever armed it is gone.

    python -m hostmuster.drills.watchdog SECONDS COMMAND...

Says `armed` once nothing that happens to its parent stops it any more. `done` on its standard input ends it, with
nothing done; the end of that input without it means that the drill was killed. The command is tried again until it
succeeds or a minute has passed.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence

PATIENCE_S = 60.0


def told_done(seconds: float) -> bool:
    """Waits for the word, so long at most. Whether it came."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        ready, _, _ = select.select([sys.stdin], [], [], left)
        if ready:
            return os.read(sys.stdin.fileno(), 64).startswith(b"done")
    return False


def take_back(command: Sequence[str]) -> int:
    """The exit code: 1 where it never succeeded."""
    end = time.monotonic() + PATIENCE_S
    while subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode != 0:
        if time.monotonic() > end:
            return 1
        time.sleep(1)
    return 0


def main(words: Sequence[str]) -> int:
    """The exit code."""
    seconds, *command = words
    if os.fork():
        # Whoever reads our output waits for the child's word, not for us.
        return 0
    os.setsid()
    print("armed", flush=True)
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(quiet, stream)
    return 0 if told_done(float(seconds)) else take_back(command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
