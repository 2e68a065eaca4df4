"""The requests in work, and the end of taking new ones: what a drain waits for (K9, R5)."""

from __future__ import annotations

import threading
import time


class Running:
    """Counts the requests in work. Once draining, none is added."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0
        self._draining = False

    @property
    def draining(self) -> bool:
        """Whether the workload is on its way out."""
        return self._draining

    def begin(self) -> bool:
        """Take a request into work; False when none is taken any more."""
        with self._changed:
            if self._draining:
                return False
            self._count += 1
            return True

    def end(self) -> None:
        """A request is through, answered or broken off."""
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def drain(self, budget_s: float) -> tuple[int, int]:
        """Take no more and wait for those in work, at most the budget: how many ended, how many are left."""
        with self._changed:
            self._draining = True
            before = self._count
            deadline = time.monotonic() + budget_s
            while self._count and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)
            return before - self._count, self._count
