"""Who is ready, how long the queue is, and who answers for a virtual IP: a line of JSON several times a second.

    python -m hostmuster.drills.probes.watch [--every S] [--depth URL]... [NAME=URL]...

Runs until SIGTERM. Each line: `at` (seconds since 1970); `ready` by name: 200 within a second; `depth` by state
(the first answer counts); `arp`: the link-layer addresses that this machine knows, by IPv4 address: where
the next packet to a virtual IP goes to, and whose that is.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from hostmuster.drills.probes.client import Away, Client, Failed, Told
from hostmuster.lab.workload.stop import Stop

ARP = Path("/proc/net/arp")
READY_S = 1.0
"""A host that takes longer is not ready, or not there."""
FIRST_S = 3.0
"""So long a first answer is waited for before anything is said."""


class Asker(threading.Thread):
    """Asks one address again and again; `seen` is its last answer, None where there was none that is good."""

    def __init__(self, url: str, every_s: float, stop: Stop) -> None:
        super().__init__(daemon=True)
        self.seen: Told | None = None
        self.asked = threading.Event()
        split = urlsplit(url)
        self._client, self._path = Client(f"{split.scheme}://{split.netloc}", READY_S), split.path or "/"
        self._every_s, self._stopping = every_s, stop

    def run(self) -> None:
        """Until it is stopped."""
        while not self._stopping.wait(self._every_s):
            try:
                told = self._client.ask("GET", self._path)
            except (Away, Failed):
                self.seen = None
            else:
                self.seen = told if told.status == 200 else None
            self.asked.set()
        # Stopped before it asked: who waits for a first answer need not go on.
        self.asked.set()


def counts(askers: Sequence[Asker]) -> Mapping[str, int] | None:
    """The queue by state, as the first that answers has it."""
    for told in (asker.seen for asker in askers):
        if told is None:
            continue
        try:
            document = json.loads(told.body)
        except ValueError:
            continue
        if isinstance(document, dict):
            return {str(state): count for state, count in document.items() if isinstance(count, int)}
    return None


def neighbours() -> Mapping[str, str]:
    """IPv4 address to link-layer address, where the kernel knows one (proc(5), /proc/net/arp)."""
    rows = (line.split() for line in ARP.read_text().splitlines()[1:])
    return {row[0]: row[3] for row in rows if row[3] != "00:00:00:00:00:00"}


def watch(ready: Mapping[str, str], depth: Sequence[str], every_s: float, say: Callable[[str], None]) -> None:
    """Until SIGTERM."""
    stop = Stop()
    askers = {name: Asker(url, every_s, stop) for name, url in ready.items()}
    queues = [Asker(url, every_s, stop) for url in depth]
    for asker in (*askers.values(), *queues):
        asker.start()
    for asker in (*askers.values(), *queues):
        asker.asked.wait(FIRST_S)
    while not stop.wait(every_s):
        seen = {
            "at": round(time.time(), 3),
            "ready": {name: asker.seen is not None for name, asker in askers.items()},
            "depth": counts(queues),
            "arp": neighbours(),
        }
        say(json.dumps(seen))


def main(words: Sequence[str] | None = None) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="watch", description="Tells who is ready, until SIGTERM.")
    parser.add_argument("--every", type=float, default=0.2, help="seconds between two looks")
    parser.add_argument("--depth", action="append", default=[], help="an address that counts tasks by state")
    parser.add_argument("ready", nargs="*", metavar="NAME=URL")
    asked = parser.parse_args(words)
    ready = dict(one.partition("=")[::2] for one in asked.ready)
    watch(ready, asked.depth, asked.every, lambda line: print(line, flush=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
