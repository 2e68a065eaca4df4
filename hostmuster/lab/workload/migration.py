"""Acts on all rows while nobody serves: encrypt them anew, prove them, dump them, put them back (K6).

Keys come from the environment or from files that it names, a dump by standard input and output; nothing by argv. Each
act prints one line of JSON. Exit codes: 0 done; 1 not, and nothing was changed; 78 misconfigured.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping

from . import database, fernet_key
from .database import Database, Execute, Unreachable
from .environment import Environment
from .rows import CREATE, TABLE, opened
from .settings import Misconfigured

UPDATE = "UPDATE secret_rows SET value = ? WHERE name = ? AND value = ?"

Done = Mapping[str, object]


class Failed(Exception):
    """The rows are as they were; the text says why, and names rows, never values."""


def main(act: str) -> int:
    """Do it, and print what was done; the exit code."""
    try:
        if not os.environ.get(database.URL):
            raise Misconfigured([f"{database.URL} is not set"])
        # Who serves is the caller's to know: all are stopped by then, so a file of SQLite is nobody else's.
        done = ACTS[act](database.named(os.environ, alone=True), os.environ)
    except Misconfigured as error:
        print("\n".join(error.problems), file=sys.stderr)
        return 78
    except (Failed, Unreachable) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(done))
    return 0


def migrate(where: Database, environment: Environment) -> Done:
    """All rows from the old key to the next one, in one transaction; those that have it already are left alone."""
    old, new = fernet_key.read(environment), fernet_key.read(environment, fernet_key.NEXT)
    anew = 0
    with where.transaction() as execute:
        rows = _rows(where, execute)
        for name, value in rows:
            if opened(new, value) is not None:
                continue
            plain = opened(old, value)
            if plain is None:
                raise Failed(f"the row {name!r} opens with neither key; no row was changed")
            if execute(UPDATE, new.encrypt(plain).decode(), name, value).rowcount != 1:
                raise Failed(f"somebody else writes the row {name!r}; no row was changed")
            anew += 1
    return {"rows": len(rows), "encrypted_anew": anew}


def prove(where: Database, environment: Environment) -> Done:
    """Every row opens: with the next key where one is given, else with the one in use."""
    key = fernet_key.read(environment, fernet_key.NEXT if _has_next(environment) else fernet_key.NAME)
    with where.transaction() as execute:
        rows = _rows(where, execute)
    if closed := [name for name, value in rows if opened(key, value) is None]:
        raise Failed(f"{len(closed)} of {len(rows)} rows do not open, {closed[0]!r} the first of them")
    return {"rows": len(rows), "opened": len(rows)}


def dump(where: Database, _: Environment) -> Done:
    """All rows as they are, encrypted: what `put-back` takes."""
    with where.transaction() as execute:
        return {"rows": _rows(where, execute)}


def put_back(where: Database, _: Environment) -> Done:
    """The rows of a dump (standard input), and no others. One that was cut off is no JSON, and refused."""
    try:
        rows = json.load(sys.stdin)["rows"]
        pairs = [(name, value) for name, value in rows if isinstance(name, str) and isinstance(value, str)]
        whole = len(pairs) == len(rows)
    except (ValueError, TypeError, KeyError):
        whole = False
    if not whole:
        raise Failed("standard input is no whole dump; no row was changed")
    with where.transaction() as execute:
        _rows(where, execute)
        execute("DELETE FROM secret_rows")
        for name, value in pairs:
            execute("INSERT INTO secret_rows (name, value) VALUES (?, ?)", name, value)
    return {"rows": len(pairs)}


def _rows(where: Database, execute: Execute) -> list[tuple[str, ...]]:
    """All of them, kept from other writers until the transaction ends."""
    execute(CREATE)
    if where.lock:
        execute(where.lock.format(TABLE))
    return execute("SELECT name, value FROM secret_rows ORDER BY name").fetchall()


def _has_next(environment: Environment) -> bool:
    return bool(environment.get(fernet_key.NEXT) or environment.get(f"{fernet_key.NEXT}_FILE"))


ACTS: Mapping[str, Callable[[Database, Environment], Done]] = {
    "migrate": migrate,
    "prove": prove,
    "dump": dump,
    "put-back": put_back,
}
