"""The worker's process: claims tasks, keeps them alive by its heartbeats, and on SIGTERM ends its own (K9).

It drains first: what runs may end by itself within WORKLOAD_DRAIN_S; what is left ends as `stopped`. What another
worker runs is left alone. Exit codes: 0 drained, 1 some were stopped, 78 misconfigured.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from . import database, settings
from .containers import Containers, EngineDown
from .database import Unreachable
from .environment import Environment, Problems, number
from .handler import log
from .processes import Processes
from .runs import LOST, Runs
from .settings import Misconfigured
from .stop import Stop
from .sweeper import Sweeper
from .task_table import Tasks
from .timing import Timing

EX_CONFIG = 78
POLL_S = 0.2
SEEN, RUNNING = "seen", "runs"
"""The file in the unit's runtime directory that each heartbeat renews: what tells that the worker is ready."""


@dataclass(frozen=True)
class Settings:
    """Who it is, how many tasks it runs at a time, and in what; `drain_s` as a server's."""

    name: str
    host: str
    drain_s: float
    slots: int
    image: str
    timing: Timing
    runtime: Path | None


@dataclass
class Worker:
    """One that works. `kept_until`: until then, by this host's monotonic clock, what it runs is its own."""

    settings: Settings
    runs: Runs
    kept_until: float = 0.0
    next_beat: float = 0.0
    greeted: bool = False
    listed: tuple[str, ...] | None = None

    def work(self, stop: Stop) -> int:
        """Until it is told to stop; the exit code."""
        threading.Thread(target=self._guard, daemon=True).start()
        while not stop.wait(POLL_S):
            self._turn(claims=True)
        return self._end()

    def _turn(self, *, claims: bool) -> None:
        self._list()
        try:
            if time.monotonic() >= self.next_beat:
                self.next_beat = time.monotonic() + self.settings.timing.beat_s
                self._beat()
            while claims and self.greeted and len(self.runs.ids) < self.settings.slots and self._claim():
                pass
        except Unreachable as error:
            log(f"{error}")

    def _list(self) -> None:
        """What it is at, for whoever is about to stop it."""
        ids = self.runs.ids
        if self.settings.runtime and ids != self.listed:
            (self.settings.runtime / RUNNING).write_text("".join(f"task {one}\n" for one in ids))
            self.listed = ids

    def _guard(self) -> NoReturn:
        """Ends what runs when its lease is over, also while a heartbeat waits for an answer that may never come."""
        while True:
            time.sleep(POLL_S)
            if self.runs.ids and time.monotonic() > self.kept_until:
                log("no heartbeat went through for as long as a lease lasts: what runs here is ended")
                self.runs.cut(self.runs.ids, LOST)

    def _beat(self) -> None:
        """Word to the database that this worker and its tasks live. Raises Unreachable."""
        tasks, me, lease_s = self.runs.tasks, self.settings, self.settings.timing.lease_s
        if not self.greeted:
            tasks.prepare()
            if left := tasks.leave(me.name):
                log(f"left by an earlier process, interrupted: {', '.join(left)}")
            self.greeted = True
        began, running = time.monotonic(), self.runs.ids
        kept = tasks.beat(me.name, me.host, running, lease_s)
        self.kept_until = began + lease_s
        # One that has ended meanwhile is not running any more, in the table either.
        self.runs.cut([one for one in running if one not in kept], LOST)
        try:
            self.runs.engine.remove_others(self.runs.ids)
        except EngineDown as error:
            log(str(error))
        if me.runtime:
            (me.runtime / SEEN).touch()

    def _claim(self) -> bool:
        """Whether there was one. Raises Unreachable."""
        if not self.runs.engine.answers():
            return False
        began = time.monotonic()
        claimed = self.runs.tasks.claim(self.settings.name, self.settings.host, self.settings.timing.lease_s)
        if claimed is None:
            return False
        if not self.runs.ids:
            self.kept_until = began + self.settings.timing.lease_s
        log(f"task {claimed[0]} is claimed")
        self.runs.begin(*claimed)
        return True

    def _end(self) -> int:
        before, until = len(self.runs.ids), time.monotonic() + self.settings.drain_s
        log(f"draining {before} tasks, at most {self.settings.drain_s:.0f} s")
        while not self.runs.wait(min(until, time.monotonic() + POLL_S)) and time.monotonic() < until:
            self._turn(claims=False)
        left = self.runs.ids
        self.runs.cut(left, "stopped")
        self.runs.wait(time.monotonic() + 5)
        log(f"stopped: {before - len(left)} drained, {len(left)} stopped")
        return 1 if left else 0


def configured(environment: Environment) -> Worker:
    """Raises Misconfigured with every mistake."""
    problems = Problems()
    who = problems.of(settings.read_who, environment)
    slots = problems.of(number, environment, "WORKLOAD_SLOTS", 2, 64)
    timing = problems.of(Timing.of, environment)
    if not environment.get(database.URL):
        problems.found.append(f"{database.URL} is not set: tasks are in a database")
    data = problems.of(database.named, environment, alone=False) if environment.get(database.URL) else None
    problems.end()
    if not (who and slots and timing and data):
        raise Misconfigured([])  # not reached: whatever is missing is a problem
    image, runtime = environment.get("WORKLOAD_IMAGE", ""), environment.get("RUNTIME_DIRECTORY")
    me = Settings(who.worker_id, who.host, who.drain_s, slots, image, timing, Path(runtime) if runtime else None)
    tasks = Tasks(data)
    Sweeper(tasks, timing).start()
    return Worker(me, Runs(tasks, Containers(image) if image else Processes(), me.name))


def main() -> int:
    """Work until SIGTERM or SIGINT; the exit code."""
    try:
        worker = configured(os.environ)
    except Misconfigured as error:
        print("\n".join(error.problems), file=sys.stderr)
        return EX_CONFIG
    stop = Stop()
    log(f"{worker.settings.name} on {worker.settings.host} works on {worker.settings.slots} tasks at a time")
    return worker.work(stop)
