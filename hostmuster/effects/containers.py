"""A container as seen from its process and from the engine."""

from __future__ import annotations

from hostmuster.containers.making import Making
from hostmuster.images.script import guarded
from hostmuster.item import Answer, Effect, Seen
from hostmuster.resources.container import CONTAINERS, Running

_HOSTNAME = 'nsenter -u -t "$(timeout 10 docker container inspect -f "{{.State.Pid}}" "$1")" hostname'


def runs(made: Making) -> Effect:
    """It runs, made as declared, and sees what lies on the host now."""

    def judge(answer: Answer) -> Seen:
        if answer.status != 0:
            return Seen(False, answer.output.strip())
        now = Running.read(answer.output.strip().partition(" ")[2])
        if now is None or not now.running:
            return Seen(False, "there is none" if now is None else "it does not run")
        if now.spec != made.spec:
            return Seen(False, "it was made by another declaration")
        if now.old:
            return Seen(False, f"it sees what lay at {', '.join(now.old)} before")
        return Seen(True, f"image {now.image[:19]}")

    ask = (*CONTAINERS.argv, made.name)
    return Effect(f"container {made.name} runs as declared", ask, judge, deadline_s=float(made.want.ready_s))


def is_called(made: Making) -> Effect:
    """Its process has the host name that no other container of the fleet has."""
    ask = ("sh", "-c", guarded(_HOSTNAME), "sh", made.name)

    def judge(answer: Answer) -> Seen:
        return Seen(answer.output.strip() == made.hostname, answer.output.strip()[-200:])

    return Effect(f"container {made.name} is called {made.hostname}", ask, judge, deadline_s=float(made.want.ready_s))


def is_ready(made: Making) -> Effect:
    """Its own proof succeeds."""

    def judge(answer: Answer) -> Seen:
        said = (answer.output.strip().splitlines() or ["nothing"])[-1]
        return Seen(answer.status == 0, f"exit {answer.status}: {said[:200]}")

    return Effect(f"container {made.name} is ready", made.want.ready, judge, deadline_s=float(made.want.ready_s))
