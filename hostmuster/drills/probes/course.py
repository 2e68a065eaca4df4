"""The course of a probe's requests: what failed and when, how long nobody was served, and how sure that is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

BUCKET_S = 0.1
"""Of the series: fine enough for an outage of half a second."""


@dataclass(frozen=True)
class Asked:
    """A request that ended: when it was sent and over, in seconds since 1970; `kind` of a failure, or none."""

    method: str
    sent: float
    over: float
    kind: str = ""


@dataclass
class Course:
    """All requests from `began` on."""

    began: float
    asked: list[Asked] = field(default_factory=list)
    missed: int = 0
    """Requests that were due and not sent: too many were still open, or the probe was late."""
    ended: float = 0.0

    def told(self) -> dict[str, object]:
        """As JSON takes it; times in seconds since 1970."""
        return {
            "began": round(self.began, 3),
            "seconds": round(self.ended - self.began, 3),
            "asked": len(self.asked),
            "ok": sum(not one.kind for one in self.asked),
            "failed": sum(bool(one.kind) for one in self.asked),
            "missed": self.missed,
            "failures": dict(Counter(f"{one.method}: {one.kind}" for one in self.asked if one.kind)),
            **self._moments(),
            "latency_ms": latencies(self.asked),
        }

    def series(self) -> list[tuple[int, int]]:
        """Good and failed ones, by when they were sent, BUCKET_S seconds each."""
        buckets = [[0, 0] for _ in range(int((self.ended - self.began) / BUCKET_S) + 1)]
        for one in self.asked:
            buckets[min(int((one.sent - self.began) / BUCKET_S), len(buckets) - 1)][bool(one.kind)] += 1
        return [(good, failed) for good, failed in buckets]

    def of(self, method: str) -> Course:
        """The requests of one method alone."""
        return Course(self.began, [one for one in self.asked if one.method == method], ended=self.ended)

    @property
    def sampling_error_s(self) -> float:
        """The longest time in the longest outage in which no request was sent: so much of it is the probe's own."""
        began, seconds = self.longest_outage
        ended = began + seconds
        sent = sorted(one.sent for one in self.asked if began < one.sent < ended)
        return max(later - at for at, later in pairwise([began, *sent, ended]))

    @property
    def longest_outage(self) -> tuple[float, float]:
        """When it began, and the longest time without a good answer: from one to the next, to the end of the probe."""
        good = sorted(one.over for one in self.asked if not one.kind)
        moments = [self.began, *good, max(self.ended, *good[-1:])] if good else [self.began, self.ended]
        return max(((at, later - at) for at, later in pairwise(moments)), key=lambda gap: gap[1])

    @property
    def longest_failing_s(self) -> float:
        """From the sending of the first of several failed ones in a row to the first good answer to one sent later."""
        longest, first = 0.0, math.inf
        for one in sorted(self.asked, key=lambda asked: asked.sent):
            if one.kind:
                first = min(first, one.sent)
            elif first < math.inf:
                longest, first = max(longest, one.over - first), math.inf
        return max(longest, self.ended - first) if first < math.inf else longest

    def _moments(self) -> Mapping[str, object]:
        failed = [one.sent for one in self.asked if one.kind]
        began, seconds = self.longest_outage
        return {
            "first_failure": round(min(failed), 3) if failed else None,
            "last_failure": round(max(failed), 3) if failed else None,
            "longest_outage_s": round(seconds, 3),
            "longest_outage_began": round(began, 3),
            "longest_failing_s": round(self.longest_failing_s, 3),
            "sampling_error_s": round(self.sampling_error_s, 3),
        }


def latencies(asked: Sequence[Asked]) -> Mapping[str, float]:
    """Of the good answers, in milliseconds."""
    took = sorted(1000 * (one.over - one.sent) for one in asked if not one.kind)
    if not took:
        return {}
    shares = {"median": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {name: round(took[math.ceil(share * len(took)) - 1], 1) for name, share in shares.items()}
