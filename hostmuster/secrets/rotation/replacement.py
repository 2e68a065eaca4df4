"""The replacement of one value by another: on all replicas at once (swap, K7), or one after another (rolling)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from hostmuster.errors import Refused
from hostmuster.secrets.rotation.replica import Replica, taking_part
from hostmuster.secrets.rotation.rollout import all_at_once, is_open, one_by_one
from hostmuster.secrets.rotation.transition import Done, Edit, Halt, Restart, Start, Switch

Request = Literal["begin", "go on"]


def next_step(
    request: Request,
    how: Literal["swap", "rolling"],
    store: str,
    replicas: Sequence[Replica[str]],
    excluded: Collection[str] = (),
) -> Edit | Halt | Switch | Start | Restart | Done:
    """The step that is due; `store` is the fingerprint of the store's value.

    Invariant of a swap: no two replicas serve with different values. Raises Refused when a replacement is to begin
    while one is open, and as `taking_part` does.
    """
    here = taking_part(replicas, excluded)
    due = all_at_once(store, here) if how == "swap" else one_by_one(store, here)
    if request == "go on":
        return due or Done("every replica uses the store's value")
    if due and (isinstance(due, Restart) or is_open(due, here)):
        raise Refused(
            "a replacement is open: not every replica uses the store's value",
            where="rotation",
            remedy="secrets.rollout goes on with it",
        )
    return Edit("replace")
