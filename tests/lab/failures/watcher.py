"""Somebody who lists all processes all the time, on this machine and so on every host of the lab."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path


class Watcher(threading.Thread):
    """Reads argv and environment of every process. `told`: which of the values it saw, and in whose argv."""

    def __init__(self, values: Iterable[str]) -> None:
        super().__init__(daemon=True)
        self._values = [value.encode() for value in values]
        self._over = threading.Event()
        self.told: set[tuple[str, str]] = set()
        self.rounds = 0
        self.scripts = 0

    def run(self) -> None:
        """Until `stop`."""
        while not self._over.is_set():
            for process in Path("/proc").glob("[0-9]*"):
                self._look(process)
            self.rounds += 1

    def _look(self, process: Path) -> None:
        try:
            argv = (process / "cmdline").read_bytes()
            said = argv + (process / "environ").read_bytes()
        except OSError:  # it has ended
            return
        self.scripts += b"hostmuster-" in argv
        for value in self._values:
            if value in said:
                self.told.add((value.decode(), argv.replace(b"\0", b" ").decode(errors="replace")))

    def stop(self) -> set[tuple[str, str]]:
        """What was told. Fails if nothing of a run was seen at all: then it proves nothing."""
        self._over.set()
        self.join(10)
        assert self.rounds > 5
        assert self.scripts > 0, "no script was seen"
        return self.told
