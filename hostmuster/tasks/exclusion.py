"""`--exclude`: hosts that a change of secrets is made without; on a fleet that is no lab they are typed once more."""

from __future__ import annotations

from typing import Final, TypedDict

from hostmuster.errors import Refused
from hostmuster.tasks.job import Options, host_list
from hostmuster.tasks.prompt import seen, somebody_is_there, typed

EXCLUDE: Final = "go on without these hosts, which are down: HOST,HOST; they serve again once they caught up"
CONFIRM: Final = "the same hosts once more, in place of typing them (a fleet that is no lab asks for it)"


class Exclusion(TypedDict, total=False):
    """The job's fields about it."""

    exclude: tuple[str, ...]
    confirm_exclude: str | None


def exclusion(options: Options, exclude: str | None, confirm: str | None) -> Exclusion:
    """What the job says of it. Raises Refused where it is not typed as it is asked for."""
    hosts = host_list(exclude, "--exclude")
    if hosts is None:
        return {}
    named = ",".join(hosts)
    return {"exclude": hosts, "confirm_exclude": confirm or _typed(options, named)}


def _typed(options: Options, named: str) -> str | None:
    """None where nothing is asked."""
    if not somebody_is_there(options) or seen(options.job("fleet_kind")).get("lab") is True:
        return None
    said = (
        f"{named} must not serve until it caught up, and is asked nothing until then. Type {named} to go on without: "
    )
    what = "it was not typed; nothing was touched"
    return typed([said], named, Refused(what, where=f"--exclude {named}", remedy="type it as given"))
