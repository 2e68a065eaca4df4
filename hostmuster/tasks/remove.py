"""The task that takes a secret out of the store, once nothing of the fleet leads to it."""

from __future__ import annotations

from invoke import Context, task

from hostmuster.errors import Refused
from hostmuster.project import Project
from hostmuster.secrets.any_store import require_removable
from hostmuster.secrets.chosen import open_store
from hostmuster.tasks.events import listed, text_of
from hostmuster.tasks.job import Options
from hostmuster.tasks.place import PLACE, fleet_name, project_of
from hostmuster.tasks.prompt import seen


@task(auto_shortflags=False, positional=["name"], help={**PLACE, "name": "the secret, as the store names it"})
def remove(_context: Context, name: str, fleet: str = "", project: str = "") -> None:
    """Take a secret out of the store; refused while a reader or an item of the fleet refers to it."""
    where, named = project_of(project), fleet_name(fleet)
    store = open_store(where, named)
    require_removable(store, name)
    require_unused(where, named, name)
    store.remove(name)
    print(f"{name}: removed")
    if store.entries[name].kind.confidential:
        print(
            f"    its value stays in {store.past}, on hosts that had it until the next rollout and apply, and with\n"
            "    whoever accepts it (a database, a provider): what must not be used any more is to be ended there"
        )


def require_unused(project: Project, fleet: str, name: str) -> None:
    """Raises Refused with every place that leads to it, and where the fleet cannot be read."""
    # declared: no host is asked, so that a lab need not be up.
    job = Options(fleet=fleet, project=str(project.root)).job("references", secret=name, declared=True)
    if found := [text_of(one) or "" for one in listed(seen(job)["references"])]:
        what = "\n    ".join([f"`{name}` is in use:", *found])
        remedy = "take it out there and bring the hosts up to date (secrets.rollout, apply); then type this again"
        raise Refused(what, where=f"inventory/{fleet}.yml", remedy=remedy)
