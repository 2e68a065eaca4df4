"""The append-only record of a run, before and after each step. It is for people: the truth is on the hosts."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from hostmuster.report.redaction import Redaction

KEPT = 500
"""Runs whose journals are kept; of older ones that are over, the oldest go first."""


class Journal:
    """reports/RUN/journal.jsonl. Every line is redacted and flushed before the step it announces is taken."""

    def __init__(self, reports: Path, run: str, redaction: Redaction) -> None:
        self.path = reports / run / "journal.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._redaction = redaction
        self._file = os.fdopen(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w", encoding="utf-8")
        # Goes with this process, however that ends: so the next run knows that this one is over (`is_over`).
        fcntl.flock(self._file, fcntl.LOCK_EX)
        forget_oldest(reports)

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


def forget_oldest(reports: Path) -> None:
    """Removes the journals beyond the newest KEPT. What holds more than a run's journal (evidence) is left alone."""
    # Another run may be forgetting the same ones at this moment.
    with suppress(FileNotFoundError):
        journals = sorted(reports.glob("????????/journal.jsonl"), key=lambda file: file.stat().st_mtime)
        for run in (file.parent for file in journals[: max(0, len(journals) - KEPT)]):
            if is_over(reports, run.name) and {file.name for file in run.iterdir()} <= {"journal.jsonl", "known_hosts"}:
                shutil.rmtree(run)
