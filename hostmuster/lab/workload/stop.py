"""Being told to stop, by SIGTERM or SIGINT: seen at whatever moment it comes."""

from __future__ import annotations

import os
import select
import signal


class Stop:
    """From when it is made; in the main thread, once a process. Raises ValueError in another one.

    The signal is a byte in a pipe, written below Python (signal.set_wakeup_fd) and never read: so it is told to all who
    wait, and for good. A handler that sets an Event is not enough. One that runs while its thread is inside
    Event.wait takes the lock that this thread has, and stands for ever; one that is due as a blocking call without
    a timeout begins comes after that call, which is never.
    """

    def __init__(self) -> None:
        self._told, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)

    def wait(self, seconds: float | None = None) -> bool:
        """Whether it was told, within so many seconds; in any thread."""
        return bool(select.select([self._told], [], [], seconds)[0])
