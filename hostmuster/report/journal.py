"""The append-only record of a run, before and after each step. It is for people: the truth is on the hosts."""

from __future__ import annotations

import fcntl
import json
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from hostmuster.report.redaction import Redaction


class Journal:
    """reports/RUN/journal.jsonl. Every line is redacted and flushed before the step it announces is taken."""

    def __init__(self, reports: Path, run: str, redaction: Redaction) -> None:
        self.path = reports / run / "journal.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._redaction = redaction
        self._file = os.fdopen(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w", encoding="utf-8")
        # Goes with this process, however that ends: so the next run knows that this one is over (`is_over`).
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def write(self, event: str, **fields: object) -> None:
        """One line: time in seconds since the epoch, the event, its fields."""
        line = json.dumps({"time": round(time.time(), 3), "event": event, **fields})
        self._file.write(self._redaction.apply(line) + "\n")
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.write("end", error=type(error).__name__ if error else None)
        self._file.close()


def is_over(reports: Path, run: str) -> bool:
    """Whether that run was one of this folder and its process is gone. False also for a run unknown here."""
    try:
        with (reports / run / "journal.jsonl").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
