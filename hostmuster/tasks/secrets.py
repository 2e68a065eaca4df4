"""The secrets store: make it, set and show values, list what it holds. A value is never an argument."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from invoke import Collection, Context, task

from hostmuster.errors import Refused
from hostmuster.secrets.chosen import open_store, vault_of
from hostmuster.secrets.founding import found_in_vault, found_store
from hostmuster.secrets.kinds.catalogue import KINDS, kind_for, kind_named
from hostmuster.secrets.name import check_name
from hostmuster.secrets.place import store_path
from hostmuster.secrets.value import Secret
from hostmuster.tasks import listing
from hostmuster.tasks.given import given
from hostmuster.tasks.guard import guard
from hostmuster.tasks.place import PLACE, fleet_name, project_of
from hostmuster.tasks.preflight import check
from hostmuster.tasks.refusal import told
from hostmuster.tasks.rekey import rekey
from hostmuster.tasks.remove import remove
from hostmuster.tasks.rollout import rollout
from hostmuster.tasks.rotation import promote, retire, revoke, rotate


@task(
    auto_shortflags=False,
    iterable=["recipient"],
    help={
        **PLACE,
        "recipient": "who reads it: age1..., an ssh-ed25519 public key line, or a file with one; repeatable",
    },
)
def init(_context: Context, recipient: Sequence[str] | None = None, fleet: str = "", project: str = "") -> None:
    """Make a fleet's store, with its SSH CA and the automation user's key."""
    name, where = fleet_name(fleet), project_of(project)
    # Only here: what reads fleets takes longer to import than any other task may take to start.
    from hostmuster.model.declared import existing

    existing(where, name)  # else a mistyped name would get keys of its own, and the fleet none
    if vault_of(where, name):
        statements = found_in_vault(where, name, recipient or ())
    else:
        statements = found_store(store_path(where, name), name, recipient or (), os.environ, Path.home()).statements
    print("\n".join(statements))


@task(
    name="set",
    auto_shortflags=False,
    positional=["name"],
    help={
        **PLACE,
        "kind": f"one of {', '.join(KINDS)} (default: as it is; by its name when new)",
        "generate": "make a new value instead of reading one",
    },
)
def set_value(
    _context: Context, name: str, kind: str = "", generate: bool = False, fleet: str = "", project: str = ""
) -> None:
    """Set a secret from standard input, or from a hidden prompt at a terminal; or make one with --generate."""
    check_name(name)
    store = open_store(project_of(project), fleet_name(fleet))
    before = store.entries.get(name)
    wanted = kind or (before.kind.name if before else kind_for(name))
    changed = store.set(name, _generated(name, wanted) if generate else given(name), wanted)
    print(f"{name}: {'replaced' if before else 'added'}, {changed.fingerprint(name)}")


@task(
    auto_shortflags=False,
    positional=["name"],
    help={**PLACE, "reveal": "write the value though this is no terminal"},
)
def show(_context: Context, name: str, reveal: bool = False, fleet: str = "", project: str = "") -> None:
    """Show one value, to a terminal only; into a pipe or file with --reveal."""
    store = open_store(project_of(project), fleet_name(fleet))
    value = store.value(name)
    terminal = sys.stdout.isatty()
    if store.entries[name].kind.confidential and not terminal and not reveal:
        raise Refused(
            "the value would not go to a terminal",
            where=name,
            remedy="add --reveal if the pipe or file it goes to may hold it",
        )
    end = b"\n" if terminal and not value.reveal().endswith(b"\n") else b""
    sys.stdout.flush()
    sys.stdout.buffer.write(value.reveal() + end)
    sys.stdout.buffer.flush()


@task(
    name="list",
    auto_shortflags=False,
    help={**PLACE, "json": "one JSON document on standard output"},
)
def list_names(_context: Context, json: bool = False, fleet: str = "", project: str = "") -> None:
    """List the secrets: name, kind and fingerprint, never a value; and which generation of them each host has."""
    with told(as_json=json):
        where, name = project_of(project), fleet_name(fleet)
        store = open_store(where, name)
        prints, unread = listing.fingerprints(store)
        hosts, unasked = (listing.Hosts(), "the store is not opened") if unread else listing.generations(where, name)
    for why in filter(None, (unread and f"not verified: {unread}", unasked and f"hosts are not asked: {unasked}")):
        print(why, file=sys.stderr)
    print(listing.as_json(store, prints, hosts) if json else listing.as_table(store, prints, hosts))


def _generated(name: str, kind: str) -> Secret:
    """Raises Refused for a kind that is not hostmuster's to make."""
    generate = kind_named(kind, name).generate
    if generate is None:
        raise Refused(
            f"a secret of kind {kind} is not generated", where=name, remedy="give it on standard input (ssh-keygen)"
        )
    return generate(name)


namespace = Collection(
    "secrets",
    init,
    set_value,
    show,
    list_names,
    remove,
    rekey,
    check,
    guard,
    rollout,
    rotate,
    promote,
    retire,
    revoke,
)
