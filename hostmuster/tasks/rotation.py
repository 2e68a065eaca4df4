"""The tasks that replace a secret in use: a signing key step by step; with an outage what has no side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from hostmuster.errors import Refused
from hostmuster.project import Project
from hostmuster.secrets.chosen import open_store
from hostmuster.tasks.events import Json, listed, text_of
from hostmuster.tasks.exclusion import CONFIRM, EXCLUDE, Exclusion, exclusion
from hostmuster.tasks.fleet import fleet_task
from hostmuster.tasks.given import given
from hostmuster.tasks.job import Detail, Job, Options, path
from hostmuster.tasks.prompt import seen, somebody_is_there, typed

_FIGURES = "a file that a prober writes beside it (its --out): its figures become part of the evidence"
_CONFIRM = "its name once more, in place of typing it (an outage of a fleet that is no lab asks for it)"


@fleet_task(
    name="the secret",
    through="a ring: all steps, waiting as long as tokens live",
    confirm=_CONFIRM,
    figures=_FIGURES,
    exclude=EXCLUDE,
    confirm_exclude=CONFIRM,
)
def rotate(
    options: Options,
    name: str,
    through: bool = False,
    confirm: str | None = None,
    figures: str | None = None,
    exclude: str | None = None,
    confirm_exclude: str | None = None,
) -> Job:
    """A ring: a new key, published before any replica signs with it. Else an outage; of a Fernet key, rows and all.

    A Redis URL is another server's or a password's to know: it is read from a hidden prompt, or standard input.
    """
    without = exclusion(options, exclude, confirm_exclude)
    confirm = confirm or _typed(options, name, "rotate", ("shared-credential", "fernet", "redis-url"), without)
    job = _job(
        options,
        "rotation",
        name,
        request="rotate",
        through=through,
        confirm=confirm,
        figures=path(figures),
        **without,
    )
    return replace(job, value=_given(job, name))


@fleet_task(name="the ring, as the store names it", exclude=EXCLUDE, confirm_exclude=CONFIRM)
def promote(options: Options, name: str, exclude: str | None = None, confirm_exclude: str | None = None) -> Job:
    """The published key signs, on every replica; refused until every replica is seen to publish it."""
    without = exclusion(options, exclude, confirm_exclude)
    return _job(options, "rotation", name, request="promote", **without)


@fleet_task(name="the ring, as the store names it", exclude=EXCLUDE, confirm_exclude=CONFIRM)
def retire(options: Options, name: str, exclude: str | None = None, confirm_exclude: str | None = None) -> Job:
    """The key that signed before goes; refused while a token of it may live."""
    without = exclusion(options, exclude, confirm_exclude)
    return _job(options, "rotation", name, request="retire", **without)


@fleet_task(
    name="the ring, as the store names it",
    kid="the key that leaked; without: the one that signs",
    confirm=_CONFIRM,
    figures=_FIGURES,
    exclude=EXCLUDE,
    confirm_exclude=CONFIRM,
)
def revoke(
    options: Options,
    name: str,
    kid: str | None = None,
    confirm: str | None = None,
    figures: str | None = None,
    exclude: str | None = None,
    confirm_exclude: str | None = None,
) -> Job:
    """A key leaves every replica at once, its tokens fail: an outage. Typed again it goes on, whatever cut it off."""
    without = exclusion(options, exclude, confirm_exclude)
    confirm = confirm or _typed(options, name, "revoke", kinds=("rsa-signing-ring",), without=without)
    return _job(options, "revoke", name, kid=kid, confirm=confirm, figures=path(figures), **without)


def _job(options: Options, command: str, name: str, **details: Detail) -> Job:
    if options.limit is not None:
        raise Refused("a rotation is for the whole fleet", where="--limit", remedy="leave out --limit")
    return options.job(command, None, secret=name, **details)


def _given(job: Job, name: str) -> str | None:
    """The new value, of a secret that is swapped and not made by us."""
    one = open_store(Project(Path(job.project)), job.fleet).entries.get(name)
    return given(name).text() if one and one.kind.rotation == "swap" and one.kind.generate is None else None


def _typed(options: Options, name: str, act: str, kinds: tuple[str, ...], without: Exclusion) -> str | None:
    """The secret's name, typed at a terminal; None where nothing is asked. Raises Refused for anything else."""
    if not somebody_is_there(options):
        return None
    document = seen(_job(options, "replacing", name, **without))
    if document.get("lab") is True or document.get("kind") not in kinds:
        return None
    what, remedy = "its name was not typed; nothing was touched", "type it as the store has it"
    return typed(_question(document, act), name, Refused(what, where=name, remedy=remedy))


def _question(document: Mapping[str, Json], act: str) -> list[str]:
    hosts = document.get("hosts")
    stops = [
        f"{host} will stop {', '.join(text_of(unit) or '' for unit in listed(units))}."
        for host, units in (hosts if isinstance(hosts, Mapping) else {}).items()
        if listed(units)
    ]
    return [*stops, f"Until all have another value, none serves. Type the secret's name to {act} it: "]
