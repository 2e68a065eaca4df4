"""What does a client see? GET and POST at a steady rate, each on a connection of its own (H13, R11).

    python -m hostmuster.drills.probes.traffic [--get HZ] [--post HZ] [--seconds N] https://HOST[:PORT]

Runs for so many seconds, or until SIGTERM, and then prints one JSON document: all requests together, each method
apart, and a series of 0.1 s each. A request goes out when it is due, whatever became of those before; a good answer has
a status of 2xx; nothing is asked twice. The longest outage is the longest time without a good answer, which also counts
what a client waited for. With --acknowledged FILE each POST is a line there: its key, and the answer's `id` or why it
has none. Exit codes: 0 nothing failed; 1 something did, or nothing was good at all; 2 for a wrong call.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from hostmuster.drills.probes.course import BUCKET_S, Asked, Course
from hostmuster.drills.probes.exchange import Ended, Request, Server, exchange

MOST_OPEN = 1000
"""Requests at a time; more would measure this machine."""
LATE_S = 0.5
"""A request that is due for longer is not sent any more, or a busy machine would send ever later ones."""


@dataclass
class Traffic:
    """The client. `rates`: requests a second by method."""

    server: Server
    paths: dict[str, str]
    rates: dict[str, float]
    task_s: float
    timeout_s: float
    acknowledged: TextIO | None = None
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    open: set[asyncio.Task[None]] = field(default_factory=set)

    async def run(self, seconds: float | None) -> Course:
        """Until it is stopped, or so long; then what is open is waited for."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop.set)
        if seconds is not None:
            loop.call_later(seconds, self.stop.set)
        course = Course(time.time())
        # Half a step apart, so that the two methods together see more than each alone.
        steady = [
            self._steady(course, method, hz, at / (2 * hz)) for at, (method, hz) in enumerate(self.rates.items()) if hz
        ]
        await asyncio.gather(*steady)
        course.ended = time.time()
        while self.open:
            await asyncio.wait(self.open)
        return course

    async def _steady(self, course: Course, method: str, hz: float, after_s: float) -> None:
        due = time.time() + after_s
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stop.wait(), max(0.0, due - time.time()))
            if self.stop.is_set():
                return
            if len(self.open) < MOST_OPEN:
                task = asyncio.create_task(self._ask(course, self._request(method)))
                self.open.add(task)
                task.add_done_callback(self.open.discard)
            else:
                course.missed += 1
            due += 1 / hz
            while due < time.time() - LATE_S:
                due += 1 / hz
                course.missed += 1

    def _request(self, method: str) -> Request:
        if method != "POST":
            return Request(method, self.paths[method])
        key = str(uuid.uuid4())
        return Request(method, self.paths[method], json.dumps({"key": key, "seconds": self.task_s}).encode(), key)

    async def _ask(self, course: Course, request: Request) -> None:
        sent = time.time()
        ended = await exchange(self.server, request, self.timeout_s)
        course.asked.append(Asked(request.method, sent, time.time(), "" if ended.good else ended.kind))
        if request.key and self.acknowledged:
            line = {"key": request.key, "sent": round(sent, 3), **_acknowledgement(ended)}
            self.acknowledged.write(json.dumps(line) + "\n")


def _acknowledgement(ended: Ended) -> dict[str, object]:
    if not ended.good:
        return {"failed": ended.kind}
    try:
        return {"id": json.loads(ended.body)["id"]}
    except (ValueError, KeyError, TypeError):
        return {"failed": "an answer without an id"}


def told(course: Course, rates: dict[str, float], base: str) -> dict[str, object]:
    """The document."""
    methods = {method: course.of(method) for method, hz in rates.items() if hz}
    return {
        "base": base,
        **course.told(),
        "methods": {method: one.told() for method, one in methods.items()},
        "series": {"every_s": BUCKET_S, **{method: one.series() for method, one in methods.items()}},
    }


def main(words: Sequence[str] | None = None) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="traffic", description="Asks at a steady rate; tells what failed and when.")
    parser.add_argument("--get", type=float, default=25.0, metavar="HZ", help="GETs a second")
    parser.add_argument("--post", type=float, default=25.0, metavar="HZ", help="POSTs a second")
    parser.add_argument("--get-path", default="/health/ready", metavar="PATH")
    parser.add_argument("--post-path", default="/tasks", metavar="PATH")
    parser.add_argument("--task-seconds", type=float, default=0.0, metavar="S", help="how long each task works")
    parser.add_argument("--seconds", type=float, help="for how long; without: until SIGTERM")
    parser.add_argument("--timeout", type=float, default=5.0, metavar="S", help="after which a request has failed")
    parser.add_argument("--name", help="what the server is called, where the URL has an address")
    parser.add_argument("--cafile", help="who may have signed the server's certificate")
    parser.add_argument("--insecure-lab", action="store_true", help="take any certificate")
    parser.add_argument("--acknowledged", type=Path, metavar="FILE", help="a line for each POST")
    parser.add_argument("base", metavar="URL")
    asked = parser.parse_args(words)
    rates = {"GET": asked.get, "POST": asked.post}
    if min(rates.values()) < 0 or not any(rates.values()):
        parser.error("rates of 0 or more, and one of them above")
    try:
        server = Server.of(asked.base, asked.name, asked.cafile, insecure=asked.insecure_lab)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    paths = {"GET": asked.get_path, "POST": asked.post_path}
    come_first()
    course = asyncio.run(_run(server, paths, rates, asked))
    print(json.dumps(told(course, rates, asked.base)))
    return 0 if course.asked and not any(one.kind for one in course.asked) else 1


def come_first() -> None:
    """What measures must not be late itself, on a machine that also runs what is measured: in turn before all others,
    where that is allowed (root, as in the lab; sched(7))."""
    if sys.platform == "linux":
        with suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


async def _run(server: Server, paths: dict[str, str], rates: dict[str, float], asked: argparse.Namespace) -> Course:
    traffic = Traffic(server, paths, rates, asked.task_seconds, asked.timeout)
    if asked.acknowledged is None:
        return await traffic.run(asked.seconds)
    with asked.acknowledged.open("w", buffering=1) as file:
        traffic.acknowledged = file
        return await traffic.run(asked.seconds)


if __name__ == "__main__":
    sys.exit(main())
