"""How tests wait: for something to hold, never for a while."""

from __future__ import annotations

import time
from collections.abc import Callable


def await_that(holds: Callable[[], bool], within_s: float, what: str) -> float:
    """Waits until it holds. The seconds that took."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < within_s, f"not within {within_s} s: {what}"
        time.sleep(0.05)
    return time.monotonic() - began
