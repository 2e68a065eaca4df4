"""Runs another probe that ends by SIGTERM, and sends it that once standard input ends: so no probe outlives its drill.

python -m hostmuster.drills.probes.bound PROBE ARGUMENT...
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
from contextlib import suppress


def _end_with_input() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Ends as the probe does."""
    probe = f"hostmuster.drills.probes.{sys.argv[1]}"
    del sys.argv[1]
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        runpy.run_module(probe, run_name="__main__", alter_sys=True)
    except BrokenPipeError:
        # Whoever would read it was killed, and so were we to be.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    finally:
        with suppress(BrokenPipeError):
            sys.stdout.flush()


if __name__ == "__main__":
    main()
