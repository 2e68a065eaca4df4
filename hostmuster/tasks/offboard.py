"""The task that takes a member out of its fleet; on a fleet that is no lab the host's name is typed for it."""

from __future__ import annotations

from collections.abc import Mapping

from hostmuster.errors import Refused
from hostmuster.tasks.events import Json, listed, text_of
from hostmuster.tasks.fleet import fleet_task
from hostmuster.tasks.job import Job, Options
from hostmuster.tasks.prompt import seen, somebody_is_there, typed


@fleet_task(
    host="the host, as the fleet file names it",
    confirm="its name once more, in place of typing it (a fleet that is no lab asks for it)",
    lost="it is gone for good and cannot be reached: the members' part alone",
)
def offboard(options: Options, host: str, confirm: str | None = None, lost: bool = False) -> Job:
    """Drain and stop a host, and make the others forget and refuse it; typed again it goes on where it was."""
    if confirm is None and somebody_is_there(options):
        confirm = _typed(host, options.job("departure", hosts=(host,)))
    return options.job("offboard", hosts=(host,), confirm=confirm, lost=lost)


@fleet_task(host="the host, a member or one that was")
def exposed(options: Options, host: str) -> Job:
    """What a host knew and cannot forget, and what to do about each; no host is asked."""
    return options.job("exposed", hosts=(host,))


def _typed(host: str, question: Job) -> str | None:
    """The host's name, typed; None in a lab, where nothing is asked. Raises Refused for anything else."""
    hosts = seen(question).get("hosts")
    leaver = hosts.get(host) if isinstance(hosts, Mapping) else None
    if not isinstance(leaver, Mapping) or leaver.get("lab") is True:
        return None
    what, remedy = "its name was not typed; nothing was touched", "type it as the fleet file has it"
    return typed(_question(host, leaver), host, Refused(what, where=host, remedy=remedy))


def _question(host: str, leaver: Mapping[str, Json]) -> list[str]:
    if leaver.get("error"):
        return [f"{host} cannot be looked at: {text_of(leaver.get('error'))}", "Type its name to offboard it: "]
    stops = [text_of(one) or "" for one in listed(leaver.get("stops"))]
    return [f"{host} will {'; '.join(stops) or 'stop nothing'}.", "Type its name to offboard it: "]
