"""Somebody who reads a file on a host all the time, as a service would, and keeps what was seen."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from hostmuster.lab.host import GuestHost

Gist = tuple[bytes, bytes, int]


def gist(content: bytes) -> Gist:
    """First line, last line, length: one of them differs in a file that is half there."""
    lines = content.splitlines()
    return (lines[0], lines[-1], len(content)) if lines else (b"", b"", 0)


class Reader(threading.Thread):
    """Reads through the guest's own root, as the guest sees it. `seen`: what the file was, by `gist`."""

    def __init__(self, host: GuestHost, path: str) -> None:
        super().__init__(daemon=True)
        leader = host.leader()
        assert leader is not None
        self._root = Path(f"/proc/{leader}/root")
        self._path = self._root / path.removeprefix("/")
        self._over = threading.Event()
        self.seen: set[Gist] = set()
        self.reads = 0

    def run(self) -> None:
        """Until `stop`, or until the host has lost its power."""
        while not self._over.is_set():
            try:
                self.seen.add(gist(self._path.read_bytes()))
                self.reads += 1
            except FileNotFoundError:
                if not self._has_power():
                    return
                self.seen.add(gist(b"missing"))
            except OSError:  # the disk was cut off under the read
                return
            time.sleep(0.002)

    def _has_power(self) -> bool:
        try:
            return (self._root / "etc").is_dir()
        except OSError:
            return False

    def stop(self) -> set[Gist]:
        """What was seen."""
        self._over.set()
        self.join(10)
        assert self.reads, "nothing was read at all"
        return self.seen
