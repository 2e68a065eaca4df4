"""The part of a server that takes tasks; workers on other hosts run them (H12). Configured by WORKLOAD_QUEUE."""

from __future__ import annotations

from . import durability
from .acceptance import Rate
from .database import Database
from .environment import Environment, Problems, number, switch
from .part import Part
from .settings import Misconfigured, Settings
from .sweeper import Sweeper
from .task_table import Tasks
from .tasks import TaskAnswers
from .timing import Timing
from .watch import Watch

SWITCH = "WORKLOAD_QUEUE"
PER_S = "WORKLOAD_RATE_PER_S"
BURST = "WORKLOAD_RATE_BURST"


def is_on(environment: Environment) -> bool:
    """Whether it is configured. Raises Misconfigured for a value that is no switch."""
    return switch(environment, SWITCH)


def configured(environment: Environment, settings: Settings, data: Database) -> Part:
    """Begin to sweep, and to watch the database; it may be away by now. Raises Misconfigured."""
    problems = Problems()
    timing = problems.of(Timing.of, environment)
    rate = problems.of(_rate, environment)
    problems.end()
    if timing is None:
        raise Misconfigured([])  # not reached: what is wrong with it is a problem
    tasks = Tasks(data)
    watch = Watch(data, tasks.prepare)
    watch.start()
    Sweeper(tasks, timing).start()
    answers = TaskAnswers(tasks, rate, settings.host, watch.well)
    return Part({**answers.routes, **durability.Durability(data).routes}, {"database": watch.well})


def _rate(environment: Environment) -> Rate | None:
    per_s = number(environment, PER_S, 0, 100_000)
    return Rate(per_s, number(environment, BURST, per_s, 100_000) or per_s) if per_s else None
