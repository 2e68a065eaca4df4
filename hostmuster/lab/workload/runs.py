"""The tasks that a worker runs, a thread each, and how each of them ended (K9)."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from . import worktree
from .containers import EngineDown
from .database import Unreachable
from .handler import log
from .task_table import Tasks

RETRY_S = 0.5
LOST = "lost"
"""What a task ends as here that is no longer ours: whoever swept it has said as what it ended."""


class Engine(Protocol):
    """What tasks run in."""

    def answers(self) -> bool:
        """Whether one could be started now."""

    def run(self, task: str, seconds: float, worktree: Path) -> bool:
        """Start one and wait for its end. Raises EngineDown."""

    def remove(self, task: str) -> None:
        """End one. Raises EngineDown."""

    def remove_others(self, mine: Collection[str]) -> None:
        """End those that are not among these. Raises EngineDown."""


@dataclass
class Runs:
    """`worker`: whose they are. `ends`: how many ended as what."""

    tasks: Tasks
    engine: Engine
    worker: str
    ends: dict[str, int] = field(default_factory=dict)
    _threads: dict[str, threading.Thread] = field(default_factory=dict)
    _cut: dict[str, str] = field(default_factory=dict)
    """By task that is ended before its time, what it ends as."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def ids(self) -> tuple[str, ...]:
        """Those that run."""
        with self._lock:
            return tuple(self._threads)

    def begin(self, task: str, seconds: float) -> None:
        """Run one that was claimed."""
        thread = threading.Thread(target=self._run, args=(task, seconds), daemon=True)
        with self._lock:
            self._threads[task] = thread
        thread.start()

    def cut(self, tasks: Collection[str], state: str) -> None:
        """End these now; they end as `state`."""
        for task in tasks:
            with self._lock:
                if task not in self._threads:
                    continue
                self._cut.setdefault(task, state)
            try:
                self.engine.remove(task)
            except EngineDown as error:
                log(f"task {task} cannot be ended: {error}")

    def wait(self, until: float) -> bool:
        """Until none runs any more, or that moment of the monotonic clock. Whether none does."""
        while self.ids and time.monotonic() < until:
            time.sleep(0.05)
        return not self.ids

    def counted(self) -> Mapping[str, int]:
        """How many ended as what."""
        with self._lock:
            return dict(self.ends)

    def _run(self, task: str, seconds: float) -> None:
        try:
            state = "done" if self.engine.run(task, seconds, worktree.make(task, self.worker)) else "interrupted"
        except (EngineDown, OSError) as error:
            log(f"task {task} could not be run: {error}")
            state = "interrupted"
        with self._lock:
            state = state if state == "done" else self._cut.get(task, state)
        self._tell(task, state)
        with self._lock:
            self._threads.pop(task)
            self._cut.pop(task, None)
            self.ends[state] = self.ends.get(state, 0) + 1

    def _tell(self, task: str, state: str) -> None:
        """The database of its end, for as long as the task may still be ours; after that it was swept."""
        while self._cut.get(task) != LOST:
            try:
                ours = self.tasks.end(task, self.worker, state)
            except Unreachable:
                time.sleep(RETRY_S)
            else:
                log(f"task {task} ended as {state}" if ours else f"task {task} was no longer ours when it ended")
                return
