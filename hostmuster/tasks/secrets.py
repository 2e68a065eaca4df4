"""The secrets store: make it, set and show values, list what it holds. A value is never an argument."""

from __future__ import annotations

import getpass
import json
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from invoke import Collection, Context, task

from hostmuster.errors import Refused
from hostmuster.project import Project
from hostmuster.secrets.founding import found_store
from hostmuster.secrets.kinds import LONGEST, check_name
from hostmuster.secrets.place import store_path
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret

_FLEET = "the fleet (inventory/NAME.yml); default $HOSTMUSTER_FLEET, else lab"
_PROJECT = "the project's folder; default: the nearest one upward with inventory/"


@task(
    auto_shortflags=False,
    iterable=["recipient"],
    help={
        "fleet": _FLEET,
        "project": _PROJECT,
        "recipient": "who reads it: age1..., an ssh-ed25519 public key line, or a file with one; repeatable",
    },
)
def init(_context: Context, recipient: Sequence[str] | None = None, fleet: str = "", project: str = "") -> None:
    """Make a fleet's store, with its SSH CA and the automation user's key."""
    name = _fleet(fleet)
    founded = found_store(store_path(_project(project), name), name, recipient or (), os.environ, Path.home())
    print("\n".join(founded.statements))


@task(
    name="set",
    auto_shortflags=False,
    positional=["name"],
    help={
        "fleet": _FLEET,
        "project": _PROJECT,
        "kind": "opaque, ssh-ca, ssh-key or ssh-public (default: as it is; by its name when new)",
    },
)
def set_value(_context: Context, name: str, kind: str = "", fleet: str = "", project: str = "") -> None:
    """Set a secret from standard input, or from a hidden prompt at a terminal."""
    check_name(name)
    store = Store.open(_project(project), _fleet(fleet))
    new = name not in store.names()
    changed = store.set(name, _given(name), kind or None)
    print(f"{name}: {'added' if new else 'replaced'}, {changed.fingerprint(name)}")


@task(
    auto_shortflags=False,
    positional=["name"],
    help={"fleet": _FLEET, "project": _PROJECT, "reveal": "write the value though this is no terminal"},
)
def show(_context: Context, name: str, reveal: bool = False, fleet: str = "", project: str = "") -> None:
    """Show one value, to a terminal only; into a pipe or file with --reveal."""
    store = Store.open(_project(project), _fleet(fleet))
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
    help={"fleet": _FLEET, "project": _PROJECT, "json": "one JSON document on standard output"},
)
def list_names(_context: Context, json: bool = False, fleet: str = "", project: str = "") -> None:
    """List the secrets: name, kind and fingerprint, never a value."""
    store = Store.open(_project(project), _fleet(fleet))
    prints, why = _fingerprints(store)
    if why:
        print(f"not verified: {why}", file=sys.stderr)
    print(_as_json(store, prints) if json else _as_table(store, prints))


def _fingerprints(store: Store) -> tuple[dict[str, str | None], str]:
    """By name, after the whole store was verified; where no identity opens it, those of the public halves."""
    why = ""
    try:
        store.verify()
    except Refused as error:
        if type(error) is not Refused:  # tampered with: that is no list to show
            raise
        why = str(error)
    public = {name for name, one in store.entries.items() if one.public}
    return {name: store.fingerprint(name) if not why or name in public else None for name in store.names()}, why


def _as_json(store: Store, prints: dict[str, str | None]) -> str:
    rows = {
        name: {"kind": store.entries[name].kind.name, "fingerprint": shown, "phase": None}
        for name, shown in prints.items()
    }
    return json.dumps({"generation": None, "secrets": rows, "hosts": {}}, indent=2)


def _as_table(store: Store, prints: dict[str, str | None]) -> str:
    rows = [("NAME", "KIND", "FINGERPRINT")]
    rows += [(name, store.entries[name].kind.name, shown or "-") for name, shown in prints.items()]
    wide = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(f"{name:<{wide[0]}}  {kind:<{wide[1]}}  {shown}" for name, kind, shown in rows)


def _given(name: str) -> Secret:
    """The value from a prompt (twice) or standard input, where one line loses its line end: `echo` adds it.

    Raises Refused when the two differ.
    """
    if sys.stdin.isatty():
        value = _asked(f"{name} (hidden): ")
        if _asked("again: ") != value:
            raise Refused("the two values differ; nothing was set", where=name)
        return value
    raw = sys.stdin.buffer.read(LONGEST + 1)
    if raw.count(b"\n") == 1 and raw.endswith(b"\n"):
        raw = raw[:-1].removesuffix(b"\r")
    return Secret(raw)


def _asked(prompt: str) -> Secret:
    """Raises Refused where the terminal would show what is typed."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return Secret(getpass.getpass(prompt))
        except getpass.GetPassWarning as error:
            raise Refused(
                "this terminal would show what is typed", remedy="give the value on standard input"
            ) from error


def _fleet(given: str) -> str:
    return given or os.environ.get("HOSTMUSTER_FLEET") or "lab"


def _project(given: str) -> Project:
    return Project.find(Path(given)) if given else Project.find()


namespace = Collection("secrets", init, set_value, show, list_names)
