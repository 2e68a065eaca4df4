"""The client of a drill: what it asks, and what of that failed, was lost, or happened twice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from hostmuster.drills.child import Probe
from hostmuster.errors import HostmusterError
from hostmuster.model.fleet import Fleet
from hostmuster.project import Project

Buckets = Sequence[tuple[int, int]]
"""Good and failed requests, by when they were sent."""


class Told(BaseModel):
    """What a client tells at its end (probes/traffic.py), as far as it is judged here."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    class Part(BaseModel):
        """Of one method."""

        asked: int
        failed: int

    began: float
    seconds: float
    longest_outage_s: float
    sampling_error_s: float
    failures: dict[str, int]
    methods: dict[str, Part]
    series: dict[str, float | list[tuple[int, int]]]

    def buckets(self, method: str) -> Buckets:
        """The series of a method."""
        found = self.series.get(method, [])
        return found if isinstance(found, list) else []

    @property
    def every_s(self) -> float:
        """Seconds of a bucket."""
        found = self.series["every_s"]
        return found if isinstance(found, float) else 0.1


@dataclass(frozen=True)
class Measured:
    """What was measured, in evidence's words. `outage_s`: the longest time without a good answer."""

    outage_s: float
    sampling_s: float
    failed: Mapping[str, int]
    asked: Mapping[str, int]
    kinds: Mapping[str, int]
    began: float
    every_s: float
    course: Mapping[str, Buckets] = field(repr=False)
    asked_elsewhere: bool = False
    """Whether a GET that failed in a bucket with good answers counts as answered by another server."""


class Load:
    """Clients from `start` to `stop`, one for each address asked."""

    def __init__(self, fleet: Fleet, project: Project, folder: Path) -> None:
        self._client, self._project, self._folder = fleet.drilling.client, project, folder
        servers = [f"http://{host.address}:{self._client.port}" for host in fleet.with_role("server")]
        self.direct = not self._client.through
        self.bases = servers if self.direct else list(self._client.through)
        self._probes: list[Probe] = []

    def acknowledgements(self) -> Iterator[tuple[str, str]]:
        """Key and id of each POST that was acknowledged so far."""
        for number in range(len(self.bases)):
            path = self._file(number)
            for text in path.read_text().splitlines() if path.is_file() else ():
                line = json.loads(text)
                if "id" in line:
                    yield str(line["key"]), str(line["id"])

    def start(self) -> None:
        """All clients."""
        for number, base in enumerate(self.bases):
            self._probes.append(Probe("traffic", [*self._words(number), base]))

    def begun(self) -> bool:
        """Whether every client asks, and one that posts has had its first answer: on a busy machine it takes long to
        start."""
        files = [self._file(number) for number in range(len(self.bases))]
        return all(path.is_file() and (path.stat().st_size or not self._client.post) for path in files)

    def _words(self, number: int) -> Iterator[str]:
        client = self._client
        post_hz = client.post_hz if client.post else 0.0
        share = len(self.bases) if self.direct else 1
        yield from ("--get", str(client.get_hz / share), "--get-path", client.get, "--post", str(post_hz / share))
        # Empty where it posts nothing: that it is there says that it asks.
        yield from ("--acknowledged", str(self._file(number)))
        if post_hz:
            yield from ("--post-path", client.post, "--task-seconds", str(client.task_s))
        if client.name:
            yield from ("--name", client.name)
        if client.insecure:
            yield "--insecure-lab"
        if client.ca:
            yield from ("--cafile", str(self._project.root / client.ca))

    def _file(self, number: int) -> Path:
        return self._folder / f"acknowledged-{number + 1}.jsonl"

    def end(self) -> None:
        """Of all clients, whatever became of the drill."""
        for probe in self._probes:
            probe.end()

    def stop(self) -> Measured:
        """Raises HostmusterError where a client did not tell."""
        self.end()
        told = []
        for number, probe in enumerate(self._probes):
            text = "".join(probe.lines)
            if not text:
                raise HostmusterError("the drill's client ended without a word", where=self.bases[number])
            (self._folder / f"client-{number + 1}.json").write_text(text)
            told.append(Told.model_validate_json(text))
        return merged(told) if self.direct else together(told)


def together(told: Sequence[Told]) -> Measured:
    """Clients that ask different ways to the same service: each counts."""
    worst = max(told, key=lambda one: one.longest_outage_s)
    methods = sorted({method for one in told for method in one.methods})
    kinds: Counter[str] = Counter()
    for one in told:
        kinds.update(one.failures)
    return Measured(
        worst.longest_outage_s,
        worst.sampling_error_s,
        {method: sum(one.methods[method].failed for one in told if method in one.methods) for method in methods},
        {method: sum(one.methods[method].asked for one in told if method in one.methods) for method in methods},
        kinds,
        worst.began,
        worst.every_s,
        {method: worst.buckets(method) for method in methods},
    )


def merged(told: Sequence[Told]) -> Measured:
    """Servers asked directly: as for a client that asks another one where one fails. So a GET has failed where no
    server gave a good answer in that tenth of a second; a POST wherever it did, since it is not asked twice."""
    each = together(told)
    every_s = each.every_s
    first = min(one.began for one in told)
    course = {method: added([_since(first, one, method) for one in told]) for method in each.failed}
    all_asked = added(list(course.values()))
    retried = {"GET": sum(bad for good, bad in course["GET"] if not good)} if "GET" in course else {}
    return Measured(
        round(longest_down(all_asked) * every_s, 3),
        # That one of them was not asked says nothing while another was.
        (1 + longest_unasked(all_asked)) * every_s,
        {**each.failed, **retried},
        each.asked,
        each.kinds,
        first,
        every_s,
        course,
        asked_elsewhere=True,
    )


def _since(first: float, one: Told, method: str) -> Buckets:
    return [(0, 0)] * round((one.began - first) / one.every_s) + [*one.buckets(method)]


def added(series: Sequence[Buckets]) -> Buckets:
    """Bucket by bucket."""
    return [(sum(good for good, _ in at), sum(bad for _, bad in at)) for at in zip_longest(*series, fillvalue=(0, 0))]


def longest_unasked(buckets: Buckets) -> int:
    """Between the first request and the last, how many in a row had none."""
    asked = [at for at, bucket in enumerate(buckets) if any(bucket)]
    return max((later - at - 1 for at, later in pairwise(asked)), default=0)


def longest_down(buckets: Buckets) -> int:
    """How many in a row had no good answer; one in which nothing was sent is as the one before it."""
    longest = down = 0
    for good, bad in buckets:
        down = 0 if good else down + 1 if bad or down else 0
        longest = max(longest, down)
    return longest
