"""What a prober counts, from many threads: good answers, failures by kind with their times, and who was away."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass
class _Times:
    """How often, and the first and the last time, in seconds since 1970."""

    count: int = 0
    first: float = 0.0
    last: float = 0.0
    by: Counter[str] = field(default_factory=Counter)

    def add(self, where: str) -> None:
        now = time.time()
        self.first = self.first or now
        self.last = now
        self.count += 1
        self.by[where] += 1

    def told(self) -> dict[str, object]:
        first, last = (datetime.fromtimestamp(at, UTC).isoformat() for at in (self.first, self.last))
        return {"count": self.count, "first": first, "last": last, "by": dict(sorted(self.by.items()))}


class Tally:
    """Counts until it is told."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began = time.time()
        self._issued: Counter[str] = Counter()
        self._verified: Counter[str] = Counter()
        self._missed: Counter[str] = Counter()
        self._failures: dict[str, _Times] = {}
        self._away: dict[str, _Times] = {}

    def issued(self, replica: str) -> None:
        """A replica gave a token."""
        with self._lock:
            self._issued[replica] += 1

    def verified(self, signer: str, verifier: str) -> None:
        """A token was taken."""
        with self._lock:
            self._verified[f"{signer} by {verifier}"] += 1

    def failed(self, kind: str, where: str) -> None:
        """Something failed that must not."""
        with self._lock:
            self._failures.setdefault(kind, _Times()).add(where)

    def away(self, replica: str, why: str) -> None:
        """Nobody served there."""
        with self._lock:
            self._away.setdefault(replica, _Times()).add(why)

    def missed(self, what: str) -> None:
        """Something that was to be asked and was not, since the prober was late or the one to ask was away."""
        with self._lock:
            self._missed[what] += 1

    @property
    def good(self) -> bool:
        """Whether something was seen, and nothing failed."""
        return bool(self._verified) and not self._failures

    def told(self) -> Mapping[str, object]:
        """All of it, as JSON takes it."""
        with self._lock:
            return {
                "began": datetime.fromtimestamp(self._began, UTC).isoformat(),
                "seconds": round(time.time() - self._began, 3),
                "issued": dict(sorted(self._issued.items())),
                "verified": dict(sorted(self._verified.items())),
                "failed": sum(times.count for times in self._failures.values()),
                "failures": {kind: times.told() for kind, times in sorted(self._failures.items())},
                "away": {name: times.told() for name, times in sorted(self._away.items())},
                "missed": dict(sorted(self._missed.items())),
            }
