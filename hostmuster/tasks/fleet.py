"""The tasks about a fleet's hosts: each says what the engine is to do, and its run is shown."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any

from invoke import Context, Exit, Task, task

from hostmuster.errors import Refused
from hostmuster.tasks.engine import run_engine
from hostmuster.tasks.job import Job, Options, path, positive
from hostmuster.tasks.refusal import told

COMMON_HELP = {
    "fleet": "the fleet, inventory/NAME.yml (default: $HOSTMUSTER_FLEET, else lab)",
    "limit": "only these hosts: HOST,HOST",
    "json": "one JSON document on standard output, progress on standard error",
    "yes": "ask nothing (never accepts a host key)",
    "project": "the project's folder (default: the nearest one upward that holds inventory/)",
    "ask_sudo": "ask once for the hosts' sudo password",
}


def fleet_task(every_effect: bool = False, **help_texts: str) -> Callable[[Callable[..., Job]], Task[Any]]:
    """Make a task of a function from the options to the job it asks of the engine.

    The task has the common options and the function's own; it ends with the engine's exit code.
    """

    def decorate(make_job: Callable[..., Job]) -> Task[Any]:
        @wraps(make_job)
        def body(_context: Context, **given: Any) -> None:
            options = Options(**{field.name: given.pop(field.name) for field in fields(Options)})
            with_document = bool(options.json)
            with told(as_json=with_document):
                job = make_job(options, **given)
            code = run_engine(job, as_json=with_document, every_effect=every_effect)
            if code:
                raise Exit(code=code)

        body.__signature__ = command_line(make_job)  # type: ignore[attr-defined]
        made: Task[Any] = task(auto_shortflags=False, help={**COMMON_HELP, **help_texts})(body)
        return made

    return decorate


def command_line(make_job: Callable[..., Job]) -> inspect.Signature:
    """The parameters the command line offers: the function's own, then the common options."""
    own = list(inspect.signature(make_job).parameters.values())[1:]
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    common = [
        inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default)
        for field in fields(Options)
    ]
    return inspect.Signature([context, *own, *common])


@fleet_task(host="the host (default: every host not yet known)")
def bootstrap(options: Options, host: str | None = None) -> Job:
    """First contact as root: make the automation user, and prove it."""
    return options.job("bootstrap", hosts=(host,) if host else None)


@fleet_task(
    item="only this item of the checklist",
    canary="change this host first, and go on only if it is as declared",
    batch="change this many hosts at a time",
    failures="stop after this many hosts have failed (default: 1)",
    plan="apply exactly this saved plan, or refuse",
)
def apply(
    options: Options,
    item: str | None = None,
    canary: str | None = None,
    batch: str | None = None,
    failures: str | None = None,
    plan: str | None = None,
) -> Job:
    """Make the hosts as declared."""
    if plan is not None and item is not None:
        raise Refused(
            "a saved plan is applied as it is",
            where="--plan",
            remedy="leave out --item, or make a plan with it",
        )
    return options.job(
        "apply",
        item=item,
        canary=canary,
        batch=positive("--batch", batch),
        failures=positive("--failures", failures),
        plan=path(plan),
    )


@fleet_task(item="only this item of the checklist", out="save the plan to this file, for apply --plan")
def check(options: Options, item: str | None = None, out: str | None = None) -> Job:
    """Show how the hosts differ from what is declared; touch nothing (exit code 2 if any does)."""
    return options.job("check", item=item, out=path(out))


@fleet_task(every_effect=True, deep="the costly effects too, between hosts")
def verify(options: Options, deep: bool = False) -> Job:
    """Check the effects only: what must be true on the hosts, seen from outside the items."""
    return options.job("verify", deep=deep)


@fleet_task(resume="finish the change that is open there", revert="take the change back that is open there")
def unlock(options: Options, host: str, resume: bool = False, revert: bool = False) -> Job:
    """Show who holds a host and what change is open there; with --resume or --revert, settle it."""
    if resume and revert:
        raise Refused("a change is finished or taken back, not both", where=host, remedy="give --resume or --revert")
    return options.job("unlock", hosts=(host,), settle="resume" if resume else "revert" if revert else None)


@fleet_task(reason="why, shown to whoever is refused meanwhile")
def freeze(options: Options, host: str, reason: str | None = None) -> Job:
    """Maintenance: refuse every change of a host until it is thawed."""
    return options.job("freeze", hosts=(host,), reason=reason)


@fleet_task()
def thaw(options: Options, host: str) -> Job:
    """End a host's maintenance."""
    return options.job("thaw", hosts=(host,))


@fleet_task()
def status(options: Options) -> Job:
    """Every host's own checks, items, release and secret generation, in one table."""
    return options.job("status")


TASKS = (bootstrap, apply, check, verify, unlock, freeze, thaw, status)
