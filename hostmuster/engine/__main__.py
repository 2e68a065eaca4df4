"""The engine as a process of its own: a job on standard input, JSON lines on standard output, an exit code.

pyinfra patches the process it runs in with gevent; here that is done first, and nowhere else.
"""

import gc
import os
import signal
import sys

# A Ctrl-C while all this is imported ends the process without a word: nothing was begun. Whoever started it says so,
# and held the signal back until here, since Python's own start would answer it with a traceback.
on_interrupt = signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

# What is imported stays: looking through it again and again for garbage takes a sixth of the start.
gc.disable()

from gevent import events, get_hub, monkey  # noqa: E402

# For each module that it patches gevent would search all installed packages for plugins, a tenth of a second in all.
events.notify_and_call_entry_points = events.notify  # type: ignore[attr-defined]
monkey.patch_all()

# paramiko would run commands with it that an ssh_config has in `Match exec`; we read no ssh_config.
sys.modules["invoke"] = None  # type: ignore[assignment]

import logging  # noqa: E402

from hostmuster.engine.command import main  # noqa: E402

del sys.modules["invoke"]
gc.freeze()
gc.enable()

if __name__ == "__main__":
    # What a connection fails with is in our own error, by host; paramiko would add its traceback to it.
    logging.disable(logging.CRITICAL)
    # Ctrl-C ends the run in its own words, without the hub's traceback.
    get_hub().NOT_ERROR += (KeyboardInterrupt,)
    job = sys.stdin.read()
    signal.signal(signal.SIGINT, on_interrupt)
    code = main(job)
    sys.stdout.flush()
    # All is closed and told: taking apart what was imported would only keep the operator waiting.
    os._exit(code)
