"""Tasks as processes of the worker's own, on a host without an engine."""

from __future__ import annotations

import subprocess
from collections.abc import Collection
from pathlib import Path


class Processes:
    """They end with the worker, so none is ever left over."""

    def __init__(self) -> None:
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def answers(self) -> bool:
        """Always."""
        return True

    def run(self, task: str, seconds: float, worktree: Path) -> bool:
        """Start it and wait for its end: whether it did its work."""
        with subprocess.Popen(["/bin/sleep", f"{seconds:g}"]) as process:
            self._running[task] = process
            done = process.wait() == 0
        del self._running[task]
        if done:
            (worktree / "result").write_text(f"task {task} was done\n")
        return done

    def remove(self, task: str) -> None:
        """End it where it runs."""
        if process := self._running.get(task):
            process.kill()

    def remove_others(self, mine: Collection[str]) -> None:
        """There are none."""
