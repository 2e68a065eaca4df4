"""Looks for tasks whose worker gives no word; on every server and worker, and for each task one of them ends it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import NoReturn

from .database import Unreachable
from .handler import log
from .task_table import Tasks
from .timing import Timing


@dataclass(frozen=True)
class Sweeper:
    """`timing`: how often."""

    tasks: Tasks
    timing: Timing

    def start(self) -> None:
        """From now on, until the process ends."""
        threading.Thread(target=self._go_on, daemon=True).start()

    def _go_on(self) -> NoReturn:
        while True:
            time.sleep(self.timing.beat_s)
            try:
                swept = self.tasks.sweep()
            except Unreachable:
                continue  # readiness tells it
            if swept:
                log(f"swept as interrupted: {', '.join(swept)}")
