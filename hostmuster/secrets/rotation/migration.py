"""The replacement of a key that encrypts rows (Fernet): they are encrypted anew, or put back; never swapped (K6)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from hostmuster.errors import Refused
from hostmuster.secrets.rotation.replacement import Request
from hostmuster.secrets.rotation.replica import Replica, named, taking_part
from hostmuster.secrets.rotation.rollout import all_at_once, is_open
from hostmuster.secrets.rotation.transition import Done, Edit, Halt, Rows, Start, Switch, Transition


@dataclass(frozen=True)
class Pair:
    """The store's key, and the one the rows are to be encrypted with; by fingerprint."""

    current: str
    next: str | None = None


Stage = Literal["dumped", "migrating", "migrated", "proved", "failed", "put back"]


@dataclass(frozen=True)
class Migration:
    """What is recorded beside the data. `to`: the key it is about. Each stage is written before the next act begins."""

    to: str
    stage: Stage


def next_step(
    request: Request,
    store: Pair,
    replicas: Sequence[Replica[str]],
    record: Migration | None,
    *,
    declared: bool,
    excluded: Collection[str] = (),
) -> Transition:
    """The step that is due.

    Invariant: a replica serves only with the one key that every row is encrypted with; the rows are never changed
    before they are dumped, nor while somebody may write them; and the store has the new key before a row does.
    An act that was cut short is not gone on with: the rows are put back. Raises Refused where no command for the
    migration is `declared`, when one is to begin while one is open, where the store is not the one that the hosts or
    the rows were changed by, and as `taking_part` does.
    """
    require(declared=declared)
    here = taking_part(replicas, excluded)
    _require_own(store, here, record)
    if store.next is None:
        return _between(request, store.current, here, record)
    if request == "begin":
        raise Refused("a migration is open", where="rotation", remedy="go on with it: secrets.rotate")
    if serving := [replica for replica in here if not replica.held]:
        return Halt(named(serving))
    return _while_nobody_writes(store.next, record if record and record.to == store.next else None)


def require(*, declared: bool) -> None:
    """Raises Refused where nobody says how rows are encrypted anew."""
    if not declared:
        raise Refused(
            "a Fernet key cannot be swapped: rows encrypted with it would be lost",
            where="rotation",
            remedy="declare the commands that encrypt the rows anew: docs/rotation.md",
        )


def _require_own(store: Pair, here: Sequence[Replica[str]], record: Migration | None) -> None:
    """An older store would bring back a key that opens no row any more."""
    switching = record is not None and record.stage == "proved" and record.to == store.current
    if others := [replica for replica in here if replica.disk not in (None, store.current) and not switching]:
        what = f"{', '.join(named(others))}: another Fernet key than the store's"
        raise Refused(what, where="rotation", remedy=_NEWER)
    touched = record is not None and record.stage not in ("dumped", "put back")
    if touched and record is not None and record.to not in (store.current, store.next):
        raise Refused("a migration is open to a key that this store has not", where="rotation", remedy=_NEWER)


_NEWER = "take the store of whoever replaced it last (git): the rows are encrypted with its key"


def _between(
    request: Request, current: str, here: Sequence[Replica[str]], record: Migration | None
) -> Edit | Halt | Switch | Start | Done:
    """No second key is in the store: before a migration, or after it, when the replicas are still to be started."""
    due = all_at_once(current, here)
    if request == "go on":
        return due or _over(current, record)
    if is_open(due, here):
        raise Refused("not every replica uses the store's key", where="rotation", remedy="secrets.rollout first")
    return Edit("prepare")


def _while_nobody_writes(upcoming: str, record: Migration | None) -> Rows | Edit:
    match record.stage if record else None:
        case None:
            return Rows("dump")
        case "dumped":
            return Rows("migrate")
        case "migrated":
            return Rows("prove")
        case "proved":
            return Edit("promote", (upcoming,))
        case "put back":
            return Edit("withdraw", (upcoming,))
        case "migrating" | "failed":
            return Rows("put back")


def _over(current: str, record: Migration | None) -> Done:
    if record and record.stage == "put back" and record.to != current:
        return Done("the rows were put back, and every replica uses the key it had")
    return Done("every row is encrypted with the store's key, and every replica uses it")
