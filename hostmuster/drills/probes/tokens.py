"""Do tokens hold? One of every replica, many times a second, verified by every other while it lives (K4, K8).

    python -m hostmuster.drills.probes.tokens [--hz 20] [--seconds N] [--out FILE] NAME=http://HOST:PORT...

Runs for so many seconds, or until SIGTERM, and then prints one JSON document. A token that is refused is a failure. A
replica that takes no requests (it drains, restarts, or is dead) is told as away: its clients ask another one meanwhile.
Each token is verified when it is new, and one kept from before as long as it lives: a key that is retired too early
fails. Exit codes: 0 nothing failed, 1 something did, or nothing was verified at all; 2 for a wrong call.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from pathlib import Path

from hostmuster.drills.probes.client import Away, Client, Failed
from hostmuster.drills.probes.tally import Tally
from hostmuster.drills.probes.verifier import KEPT_EVERY_S, Token, Verifier
from hostmuster.lab.workload.stop import Stop

KEPT = 600


class Asker(threading.Thread):
    """Asks one replica for tokens, and hands them out."""

    def __init__(self, name: str, base: str, verifiers: Sequence[Verifier], every_s: float, tally: Tally) -> None:
        super().__init__(daemon=True)
        self._replica, self._client, self._tally = name, Client(base), tally
        self._verifiers, self._turn = verifiers, cycle(verifiers)
        self._every_s = every_s
        self._kept: deque[Token] = deque(maxlen=KEPT)
        self.stopping = threading.Event()

    def run(self) -> None:
        """Until it is stopped. What could not be asked in time is not asked later."""
        due = time.monotonic()
        while not self.stopping.wait(max(0.0, due - time.monotonic())):
            self._ask()
            due += self._every_s
            while due < time.monotonic() - self._every_s:
                due += self._every_s
                self._tally.missed(f"a token of {self._replica}")

    def _ask(self) -> None:
        old = self._oldest()
        if old:
            next(self._turn).give(old)
        try:
            token = self._token()
        except Away as why:
            self._tally.away(self._replica, str(why))
        except Failed as kind:
            self._tally.failed(f"token: {kind}", self._replica)
        else:
            self._tally.issued(self._replica)
            if not self._kept or token.given - self._kept[-1].given >= KEPT_EVERY_S:
                self._kept.append(token)
            for verifier in self._verifiers:
                verifier.give(token)

    def _token(self) -> Token:
        told = self._client.ask("GET", "/token")
        if told.status != 200:
            raise Failed(f"status {told.status}")
        try:
            document = json.loads(told.body)
            return Token(str(document["token"]), time.time(), float(document["exp"]))
        except (ValueError, KeyError, TypeError):
            raise Failed("no token in the answer") from None

    def _oldest(self) -> Token | None:
        while self._kept and not self._kept[0].lives:
            self._kept.popleft()
        return self._kept[0] if self._kept and self._kept[0].age == "kept" else None


def probe(replicas: Mapping[str, str], hz: float, stop: Stop, seconds: float | None, out: Path | None = None) -> Tally:
    """Until told to stop, or so many seconds. `replicas`: name to base URL; `out`: gets the figures every second."""
    tally, askers, verifiers = Tally(), [], []
    for signer, base in replicas.items():
        others = [Verifier(signer, name, url, tally) for name, url in replicas.items() if name != signer]
        verifiers += others
        askers.append(Asker(signer, base, others, 1 / hz, tally))
    for thread in (*verifiers, *askers):
        thread.start()
    _until(stop, seconds, lambda: _write(out, tally))
    for asker in askers:
        asker.stopping.set()
    for asker in askers:
        asker.join()
    for verifier in verifiers:
        verifier.end()
    for verifier in verifiers:
        verifier.join()
    return tally


def _until(stop: Stop, seconds: float | None, every_second: Callable[[], None]) -> None:
    end = time.monotonic() + seconds if seconds is not None else float("inf")
    while not stop.wait(max(0.0, min(1.0, end - time.monotonic()))) and time.monotonic() < end:
        every_second()


def _write(out: Path | None, tally: Tally) -> None:
    """By rename, so that who reads it beside finds a whole one."""
    if out is not None:
        new = out.with_name(f".{out.name}")
        new.write_text(json.dumps(tally.told()))
        new.replace(out)


def main(words: Sequence[str] | None = None) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="tokens", description="Has every replica's tokens verified by every other.")
    parser.add_argument("--hz", type=float, default=20.0, help="tokens of each replica in a second")
    parser.add_argument("--seconds", type=float, help="for how long; without: until SIGTERM")
    parser.add_argument("--out", type=Path, help="a file that has the figures so far, anew every second")
    parser.add_argument("replicas", nargs="+", metavar="NAME=URL")
    asked = parser.parse_args(words)
    replicas = dict(one.partition("=")[::2] for one in asked.replicas)
    if len(replicas) < 2 or len(replicas) != len(asked.replicas) or asked.hz <= 0:
        parser.error("two replicas at least, each by a name of its own, and a frequency above 0")
    stop = Stop()
    try:
        tally = probe(replicas, asked.hz, stop, asked.seconds, asked.out)
    except ValueError as error:
        parser.error(str(error))
    _write(asked.out, tally)
    print(json.dumps(tally.told()))
    return 0 if tally.good else 1


if __name__ == "__main__":
    sys.exit(main())
