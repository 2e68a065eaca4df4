"""The tasks of drills; on a fleet that is no lab the target's name is typed again for each."""

from __future__ import annotations

from collections.abc import Mapping

from invoke import Collection

from hostmuster.errors import Refused
from hostmuster.tasks.events import Json, listed, text_of
from hostmuster.tasks.fleet import fleet_task
from hostmuster.tasks.job import Detail, Job, Options, positive
from hostmuster.tasks.prompt import seen, somebody_is_there, typed

CONFIRM = "the target's name once more, in place of typing it (a fleet that is no lab asks for it)"


@fleet_task()
def list_drills(options: Options) -> Job:
    """Every drill, the host it would be held on, and what the fleet gives no ground for; no host is asked."""
    return _job(options, "drill_list")


@fleet_task(
    name="the drill, as drill.list names it", host="its target (default: the first of its role)", confirm=CONFIRM
)
def run(options: Options, name: str, host: str | None = None, confirm: str | None = None) -> Job:
    """Hold one drill: a fault whose undoing is armed first, under a client; its evidence goes to reports/."""
    if confirm is None:
        confirm = _typed(options, name, host)
    return _job(options, "drill", drill=name, target=host, confirm=confirm)


@fleet_task(confirm="the fleet's name, in place of typing it (a fleet that is no lab asks for it)")
def run_all(options: Options, confirm: str | None = None) -> Job:
    """Hold every drill that the fleet gives ground for, one after the other; one table at the end."""
    if confirm is None:
        confirm = _typed(options, None, None)
    return _job(options, "drill_all", confirm=confirm)


@fleet_task(
    seconds="for how long faults are begun (default: 300)",
    seed="the same seed gives the same faults (default: one that is told)",
    confirm="the fleet's name, in place of typing it (a fleet that is no lab asks for it)",
)
def soak(options: Options, seconds: str | None = None, seed: str | None = None, confirm: str | None = None) -> Job:
    """Random faults on random hosts, one after the other under load; it ends at the first acknowledged task lost."""
    if confirm is None:
        confirm = _typed(options, None, None)
    return _job(options, "soak", seconds=positive("--seconds", seconds), seed=positive("--seed", seed), confirm=confirm)


def _job(options: Options, command: str, **details: Detail) -> Job:
    if options.limit is not None:
        raise Refused("a drill needs the whole fleet", where="--limit", remedy="name its target: --host HOST")
    return options.job(command, None, **details)


def _typed(options: Options, drill: str | None, host: str | None) -> str | None:
    """The name of the target (of the fleet, for all drills), typed; None where nothing is asked.

    Raises Refused for anything else.
    """
    if not somebody_is_there(options):
        return None
    document = seen(_job(options, "drill_list"))
    if document.get("lab") is True:
        return None
    known = [one for one in listed(document.get("listed")) if isinstance(one, Mapping)]
    meant = [one for one in known if drill in (None, one.get("drill")) and one.get("host")]
    wanted = text_of(document.get("fleet")) if drill is None else host or _host(meant)
    if wanted is None:
        return None
    what, remedy = "its name was not typed; nothing was touched", "type it as the fleet file does"
    return typed(_question(meant, wanted, host), wanted, Refused(what, where=wanted, remedy=remedy))


def _host(meant: list[Mapping[str, Json]]) -> str | None:
    return text_of(meant[0].get("host")) if meant else None


def _question(meant: list[Mapping[str, Json]], wanted: str, host: str | None) -> list[str]:
    told = [
        f"{text_of(one.get('drill'))} on {host or text_of(one.get('host'))}: "
        f"{', '.join(text_of(fault) or '' for fault in listed(one.get('faults')))}."
        for one in meant
    ]
    return [*told, f"Type {wanted} to hold {'it' if len(told) == 1 else 'them'}: "]


namespace = Collection("drill")
namespace.add_task(list_drills, name="list")
namespace.add_task(run, name="run")
namespace.add_task(run_all, name="run-all")
namespace.add_task(soak, name="soak")
