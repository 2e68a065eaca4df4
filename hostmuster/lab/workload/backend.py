"""The parts of a backend that the environment configures. Without any of its variables this is the plain workload.

What several replicas have to share is asked only of a backend: where nothing is configured, there is nothing in which
two replicas could differ, and BACKEND_MULTI_INSTANCE alone asks for nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from . import credential, database, fernet_key, queue_part, rendering, ring, sharing
from .database import Database
from .environment import Environment, Problems, seconds, several
from .part import Part
from .rendering import Rendering
from .ring import Ring
from .route import Routes
from .rows import Rows
from .settings import Misconfigured, Settings
from .tokens import Tokens
from .watch import Watch

TOKEN_LIFE = "WORKLOAD_TOKEN_S"  # noqa: S105 - a variable's name
SIGNING = "RUNTIME_RSA_"
_OTHERS = (fernet_key.NAME, credential.NAME, rendering.URL, sharing.DRIVER, sharing.SHARED, sharing.REDIS)


def is_backend(environment: Environment) -> bool:
    """Whether anything of a backend is configured. The database of a queue makes none."""
    if _signs(environment) or any(_has(environment, name) for name in _OTHERS):
        return True
    return _has(environment, database.URL) and not queue_part.is_on(environment)


def configured(environment: Environment, settings: Settings) -> Part:
    """What is answered beside the plain workload's paths, and whether its database does.

    Raises Misconfigured with every mistake and every miss of K1's table; Unreachable where the database is.
    """
    queue = queue_part.is_on(environment)
    if not is_backend(environment):
        return _queue(environment, settings) if queue else Part()
    problems = Problems()
    crowd = problems.of(several, environment) is not False  # where that cannot be told, nothing is taken lightly
    if crowd:
        problems.found += sharing.misses(environment)
    keys = problems.of(ring.read, environment, alone=not crowd) if crowd or _signs(environment) else None
    tokens = problems.of(_tokens, keys, environment, settings) if keys else None
    fernet = problems.of(fernet_key.read, environment) if crowd or _needs_fernet(environment) else None
    data = problems.of(database.named, environment, alone=not crowd) if environment.get(database.URL) else None
    if crowd or _has(environment, credential.NAME):
        problems.of(credential.read, environment)
    calls = problems.of(Rendering.of, environment) if environment.get(rendering.URL) else None
    tasks = problems.of(_queue, environment, settings) if queue else None
    problems.end()
    routes = {
        **(tokens.routes if tokens else {}),
        **(_rows(Rows(data, fernet)) if data and fernet else {}),
        **(calls.routes if calls else {}),
        **(tasks.routes if tasks else {}),
    }
    return Part(routes, tasks.health if tasks else {"database": _watched(data)} if data else {})


def _queue(environment: Environment, settings: Settings) -> Part:
    if not environment.get(database.URL):
        raise Misconfigured([f"{database.URL} is not set: tasks are in a database"])
    # Its workers run on other hosts: one instance alone has several to share with (H19).
    return queue_part.configured(environment, settings, database.named(environment, alone=False))


def _tokens(keys: Ring, environment: Environment, settings: Settings) -> Tokens:
    return Tokens.of(keys, settings.worker_id, seconds(environment, TOKEN_LIFE, 3600))


def _rows(rows: Rows) -> Routes:
    rows.prepare()
    return rows.routes


def _watched(data: Database) -> Callable[[], bool]:
    watch = Watch(data)
    watch.start()
    return watch.well


def _signs(environment: Environment) -> bool:
    return TOKEN_LIFE in environment or any(name.startswith(SIGNING) for name in environment)


def _needs_fernet(environment: Environment) -> bool:
    # A queue keeps tasks in its database, and no rows.
    rows = bool(environment.get(database.URL)) and not queue_part.is_on(environment)
    return _has(environment, fernet_key.NAME) or rows


def _has(environment: Environment, name: str) -> bool:
    return name in environment or f"{name}_FILE" in environment
