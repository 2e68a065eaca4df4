"""A probe under way: a process of its own whose lines are read as they come, and that ends when we do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

import gevent


class Probe:
    """`lines`: all that it said so far, oldest first."""

    def __init__(self, module: str, words: Sequence[str]) -> None:
        self.lines: list[str] = []
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "hostmuster.drills.probes.bound", module, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._reader = gevent.spawn(self._read)

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - started with a pipe
        for line in self._process.stdout:
            self.lines.append(line)

    def end(self, timeout_s: float = 30.0) -> int:
        """Its standard input ends, and so does it. Its exit code."""
        assert self._process.stdin is not None  # noqa: S101 - started with a pipe
        with suppress(OSError):
            self._process.stdin.close()
        try:
            code = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._reader.join(timeout_s)
        return code
