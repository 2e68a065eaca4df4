"""Somebody who lists all processes all the time, on this machine and so on every host of the lab."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path


class Watcher(threading.Thread):
    """Reads argv and environment of every process. `told`: which of the values it saw, and at whose process.

    `readers`: those who may have them, by a word of their argv, or by their unit.
    """

    def __init__(self, values: Iterable[str], readers: Sequence[str] = ()) -> None:
        super().__init__(daemon=True)
        self._values = [value.encode() for value in values]
        self._readers = [reader.encode() for reader in readers]
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
        # Its argv is empty in the middle of an exec, and again once it has ended, while between the two its environment
        # can be read: who it is, is asked before and after.
        before = self._who(process)
        try:
            said = before + (process / "environ").read_bytes()
        except OSError:  # it has ended
            return
        self.scripts += b"hostmuster-" in before
        values = [value for value in self._values if value in said]
        if not values:
            return
        who = before + self._who(process)
        if not any(reader in who for reader in self._readers):
            self.told |= {(value.decode(), who.replace(b"\0", b" ").decode(errors="replace")) for value in values}

    def _who(self, process: Path) -> bytes:
        """Its argv, and its unit by its control group."""
        told = b""
        for name in ("cmdline", "cgroup"):
            with suppress(OSError):  # it has ended
                told += (process / name).read_bytes()
        return told

    def stop(self) -> set[tuple[str, str]]:
        """What was told. Fails if nothing of a run was seen at all: then it proves nothing."""
        self._over.set()
        self.join(10)
        assert self.rounds > 5
        assert self.scripts > 0, "no script was seen"
        return self.told
