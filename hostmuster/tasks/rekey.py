"""Who reads the store: let somebody in, keep somebody out, and say what they know already."""

from __future__ import annotations

from collections.abc import Sequence

from invoke import Context, task

from hostmuster.secrets.chosen import file_store
from hostmuster.secrets.recipients import recipient
from hostmuster.secrets.store import Store
from hostmuster.tasks.place import PLACE, fleet_name, project_of

_WHO = "an age1... recipient, an ssh-ed25519 public key line, or a file with one; repeatable"


@task(
    auto_shortflags=False,
    iterable=["add", "remove"],
    help={**PLACE, "add": f"who reads it from now on: {_WHO}", "remove": f"who does not any more: {_WHO}"},
)
def rekey(
    _context: Context,
    add: Sequence[str] | None = None,
    remove: Sequence[str] | None = None,
    fleet: str = "",
    project: str = "",
) -> None:
    """Encrypt the whole store anew under a new data key, for the recipients there shall be."""
    store = file_store(project_of(project), fleet_name(fleet), "rekey")
    gone = [recipient(one, "--remove") for one in remove or ()]
    changed = store.rekey([recipient(one, "--add") for one in add or ()], gone)
    print("\n    ".join([f"{store.path}: encrypted anew; it can be read by", *changed.recipients]))
    if gone:
        print(_exposed(changed, len(gone)))


def _exposed(store: Store, gone: int) -> str:
    """Whoever could read the store has its values for good: only other values help."""
    lines = [
        f"Whoever was removed ({gone}) read every value until now, and still does in git's older versions.",
        "What they must not know any more is to be replaced:",
    ]
    known = [one for one in store.entries.values() if one.kind.confidential]
    return "\n".join([*lines, *(f"    {one.name}  ({one.kind.name})" for one in known)])
