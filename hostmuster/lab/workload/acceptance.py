"""Taking a task: once for each key, within the rate that all servers share, acknowledged only after its commit."""

from __future__ import annotations

from dataclasses import dataclass

from .database import Database

# The row is locked until the transaction ends, so that two servers count one after the other (H13).
_TAKE = """INSERT INTO rates AS r (key, left_over, at) VALUES (?, CAST(? AS double precision) - 1, clock_timestamp())
    ON CONFLICT (key) DO UPDATE SET at = clock_timestamp(), left_over = -1 + LEAST(CAST(? AS double precision),
        r.left_over + CAST(? AS double precision) * GREATEST(0, extract(epoch FROM clock_timestamp() - r.at)))
    WHERE LEAST(CAST(? AS double precision),
        r.left_over + CAST(? AS double precision) * GREATEST(0, extract(epoch FROM clock_timestamp() - r.at))) >= 1
    RETURNING key"""


@dataclass(frozen=True)
class Rate:
    """So many a second for each client, over all servers together; `burst`: how many at once after a pause."""

    per_s: int
    burst: int

    def take(self, database: Database, client: str) -> bool:
        """Whether one more is within the rate. It is counted. Raises Unreachable.

        In a transaction of its own that waits for no disk: all who give a task wait for this row, and what a crash
        loses of it is a count.
        """
        burst, per_s = str(self.burst), str(self.per_s)
        with database.transaction() as execute:
            execute("SET LOCAL synchronous_commit = off")
            return bool(execute(_TAKE, client, burst, burst, per_s, burst, per_s).fetchall())


@dataclass(frozen=True)
class Accepted:
    """A task's id, and whether it is new."""

    id: str
    new: bool


def accept(database: Database, rate: Rate | None, client: str, key: str, seconds: float) -> Accepted | None:
    """The task of this key, made if there is none; None over the rate. Raises Unreachable.

    Unreachable leaves open whether it was taken: asked again with the same key, it is taken once.
    """
    if rate and not rate.take(database, client):
        return None
    with database.transaction() as execute:
        made = execute(
            "INSERT INTO tasks (key, seconds) VALUES (?, CAST(? AS double precision))"
            " ON CONFLICT (key) DO NOTHING RETURNING id::text",
            key,
            str(seconds),
        ).fetchall()
        found = made or execute("SELECT id::text FROM tasks WHERE key = ?", key).fetchall()
    return Accepted(found[0][0], bool(made))
