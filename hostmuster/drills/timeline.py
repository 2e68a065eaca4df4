"""A drill as it is drawn: what the client got, who was ready, who owned an address, how long the queue was. Pure.

Times are shares of the whole, 0 to WIDE; heights 0 to HIGH.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise

from hostmuster.drills.evidence import Happened
from hostmuster.drills.load import Buckets, Measured
from hostmuster.drills.scene import Look

Owner = Callable[[Look, str], str | None]
"""Which host an address led to."""
WIDE, HIGH = 1000.0, 40.0
MARGIN_S = 1.0
"""Drawn before the first request and after the last."""
MOST_BARS = 200
GAP_S = 1.5
"""Without a look for so long nothing is drawn: nobody looked."""


@dataclass(frozen=True)
class Box:
    """A rectangle, and in a word what it is."""

    x: float
    y: float
    width: float
    height: float
    word: str
    title: str = ""


@dataclass(frozen=True)
class Track:
    """One line of the picture: its name, what to say beside it, its boxes."""

    name: str
    note: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class Span:
    """From the first moment drawn to the last, in seconds since 1970."""

    began: float
    ended: float

    @property
    def seconds(self) -> float:
        """How long it is."""
        return max(self.ended - self.began, 0.1)

    def x(self, at: float) -> float:
        """Where a moment is drawn."""
        return round(min(max((at - self.began) / self.seconds, 0.0), 1.0) * WIDE, 2)

    def box(self, since: float, until: float, word: str, title: str = "") -> Box:
        """All the height, from one moment to another."""
        return Box(self.x(since), 0, round(max(self.x(until) - self.x(since), 1.0), 2), HIGH, word, title)


@dataclass(frozen=True)
class Timeline:
    """The whole picture. `faults`: each from its cause to its undoing."""

    span: Span
    faults: tuple[Box, ...]
    tracks: tuple[Track, ...]


def timeline(
    happened: Sequence[Happened],
    measured: Measured | None,
    looks: Sequence[Look],
    owner: Owner,
    addresses: Iterable[str],
) -> Timeline | None:
    """None where nothing was seen."""
    if measured is not None:
        longest = max((len(buckets) for buckets in measured.course.values()), default=0)
        span = Span(measured.began - MARGIN_S, measured.began + longest * measured.every_s + MARGIN_S)
    elif looks:
        span = Span(looks[0].at, looks[-1].at)
    else:
        return None
    looks = [look for look in looks if span.began <= look.at <= span.ended]
    faults = tuple(span.box(one.at, one.undone or span.ended, "fault", one.what) for one in happened)
    tracks = [*_courses(span, measured), *_owners(span, looks, owner, addresses), *_ready(span, looks)]
    return Timeline(span, faults, (*tracks, *_queue(span, looks)))


def _courses(span: Span, measured: Measured | None) -> Iterator[Track]:
    if measured is None:
        return
    for method, buckets in measured.course.items():
        asked, failed = measured.asked.get(method, 0), measured.failed.get(method, 0)
        bars = tuple(_bars(span, measured, buckets, elsewhere=measured.asked_elsewhere and method == "GET"))
        yield Track(f"{method} from the client", f"{asked} asked, {failed} failed", bars)


def _bars(span: Span, measured: Measured, buckets: Buckets, *, elsewhere: bool) -> Iterator[Box]:
    """Several buckets a bar, so that each is wide enough to be seen; failed ones stand on top."""
    together = max(1, -(-len(buckets) // MOST_BARS))
    bars = [buckets[at : at + together] for at in range(0, len(buckets), together)]
    sums = [(sum(good for good, _ in bar), sum(bad for _, bad in bar)) for bar in bars]
    most = max((good + bad for good, bad in sums), default=0) or 1
    wide = round(together * measured.every_s / span.seconds * WIDE, 2)
    for number, (good, bad) in enumerate(sums):
        at = measured.began + number * together * measured.every_s
        x, green, red = span.x(at), round(good / most * HIGH, 2), round(bad / most * HIGH, 2)
        title = f"{at - span.began:.1f} s: {good} good, {bad} failed"
        if good:
            yield Box(x, round(HIGH - green, 2), wide, green, "good", title)
        if bad:
            # Never too low to be seen: one failed request is what the picture is looked at for.
            word = "elsewhere" if elsewhere and good else "bad"
            yield Box(x, round(max(HIGH - green - red, 0), 2), wide, max(red, 4.0), word, title)


def _runs(looks: Sequence[Look], state: Callable[[Look], str]) -> Iterator[tuple[float, float, str]]:
    """From when to when it was the same."""
    steps = list(pairwise(looks))
    for word, run in groupby(steps, key=lambda step: state(step[0])):
        part = list(run)
        yield part[0][0].at, min(part[-1][1].at, part[-1][0].at + GAP_S), word


def _ready(span: Span, looks: Sequence[Look]) -> Iterator[Track]:
    for name in looks[0].ready if looks else ():
        runs = list(_runs(looks, partial(_readiness, name)))
        away = sum(until - since for since, until, word in runs if word == "bad")
        boxes = tuple(span.box(*run, title=f"{'ready' if run[2] == 'good' else 'not ready'}") for run in runs)
        yield Track(f"{name} is ready", f"not for {away:.1f} s" if away else "all the time", boxes)


def _readiness(name: str, look: Look) -> str:
    return "good" if look.ready.get(name) else "bad"


def _owner(owner: Owner, address: str, look: Look) -> str:
    return owner(look, address) or ""


def _owners(span: Span, looks: Sequence[Look], owner: Owner, addresses: Iterable[str]) -> Iterator[Track]:
    for address in addresses:
        runs = list(_runs(looks, partial(_owner, owner, address)))
        if not any(word for _, _, word in runs):
            continue
        names = list(dict.fromkeys(word for _, _, word in runs if word))
        boxes = tuple(
            span.box(since, until, f"owner-{names.index(word) % 2 + 1}" if word else "nobody", word or "nobody")
            for since, until, word in runs
        )
        yield Track(f"{address} leads to", ", then ".join(word for _, _, word in runs if word), boxes)


def _queue(span: Span, looks: Sequence[Look]) -> Iterator[Track]:
    depths = [(look.at, sum((look.depth or {}).get(state, 0) for state in ("queued", "running"))) for look in looks]
    if not any(look.depth for look in looks):
        return
    most = max(depth for _, depth in depths) or 1
    boxes = []
    for (at, depth), (until, _) in pairwise(depths):
        high = round(depth / most * HIGH, 2)
        if depth:
            wide = max(span.x(min(until, at + GAP_S)) - span.x(at), 1.0)
            boxes.append(Box(span.x(at), round(HIGH - high, 2), round(wide, 2), high, "depth", f"{depth} tasks"))
    yield Track("Tasks queued or running", f"{most if boxes else 0} at most", tuple(boxes))
