"""The requests in work, a thread each, and the end of taking new ones: what a drain waits for (K9, R5)."""

from __future__ import annotations

import threading
import time


class Running:
    """Knows the requests in work. Once draining, none is added."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._work: dict[int, tuple[str, float]] = {}
        self._draining = False

    @property
    def draining(self) -> bool:
        """Whether the workload is on its way out."""
        return self._draining

    @property
    def listed(self) -> list[str]:
        """What is in work, the longest first, and for how long."""
        with self._changed:
            began = sorted(self._work.values(), key=lambda one: one[1])
        return [f"{what}, {time.monotonic() - at:.0f} s" for what, at in began]

    def begin(self, what: str = "a request") -> bool:
        """This thread takes a request into work; False when none is taken any more."""
        with self._changed:
            if self._draining:
                return False
            self._work[threading.get_ident()] = (what, time.monotonic())
            return True

    def end(self) -> None:
        """A request is through, answered or broken off."""
        with self._changed:
            del self._work[threading.get_ident()]
            self._changed.notify_all()

    def drain(self, budget_s: float) -> tuple[int, int]:
        """Take no more and wait for those in work, at most the budget: how many ended, how many are left."""
        with self._changed:
            self._draining = True
            before = len(self._work)
            deadline = time.monotonic() + budget_s
            while self._work and (left := deadline - time.monotonic()) > 0:
                self._changed.wait(left)
            return before - len(self._work), len(self._work)
