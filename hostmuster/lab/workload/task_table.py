"""Tasks in the database that all replicas share: who may do what is decided there, by compare-and-swap (H12, H19).

Every change names the state that it takes a task out of, so of several that try it one succeeds. Leases are by the
database's own clock: no host's clock decides who lives (H8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .database import Database

STATES = ("queued", "running", "done", "interrupted", "stopped")
_TOGETHER = 4018
"""Replicas that start at once make the tables one after the other (an advisory lock's number)."""
_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS tasks (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key text NOT NULL UNIQUE,
        seconds double precision NOT NULL,
        state text NOT NULL DEFAULT 'queued'
            CHECK (state IN ('queued', 'running', 'done', 'interrupted', 'stopped')),
        worker text,
        host text,
        lease_until timestamptz,
        accepted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        claimed_at timestamptz,
        ended_at timestamptz)""",
    "CREATE INDEX IF NOT EXISTS tasks_open ON tasks (state, id) WHERE state IN ('queued', 'running')",
    # A second effect of a task is not refused but seen: it would have happened.
    """CREATE TABLE IF NOT EXISTS effects (
        task bigint NOT NULL REFERENCES tasks,
        worker text NOT NULL,
        at timestamptz NOT NULL DEFAULT clock_timestamp())""",
    "CREATE INDEX IF NOT EXISTS effects_by_task ON effects (task)",
    "CREATE TABLE IF NOT EXISTS workers (worker text PRIMARY KEY, host text NOT NULL, seen_at timestamptz NOT NULL)",
    """CREATE TABLE IF NOT EXISTS rates (
        key text PRIMARY KEY, left_over double precision NOT NULL, at timestamptz NOT NULL)""",
)
_CLAIM = """UPDATE tasks SET state = 'running', worker = ?, host = ?, claimed_at = clock_timestamp(),
        lease_until = clock_timestamp() + CAST(? AS interval)
    WHERE state = 'queued' AND id = (
        SELECT id FROM tasks WHERE state = 'queued' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id::text, seconds::text"""
_RENEW = """UPDATE tasks SET lease_until = clock_timestamp() + CAST(? AS interval)
    WHERE state = 'running' AND worker = ? AND id = ANY (CAST(? AS bigint[])) RETURNING id::text"""
_END = """UPDATE tasks SET state = ?, ended_at = clock_timestamp()
    WHERE state = 'running' AND worker = ? AND id = CAST(? AS bigint)"""
_SWEEP = """UPDATE tasks SET state = 'interrupted', ended_at = clock_timestamp()
    WHERE state = 'running' AND lease_until < clock_timestamp() RETURNING id::text"""
_LEFT = """UPDATE tasks SET state = 'interrupted', ended_at = clock_timestamp()
    WHERE state = 'running' AND worker = ? RETURNING id::text"""
_SEEN = """INSERT INTO workers (worker, host, seen_at) VALUES (?, ?, clock_timestamp())
    ON CONFLICT (worker) DO UPDATE SET host = excluded.host, seen_at = excluded.seen_at"""


@dataclass(frozen=True)
class Task:
    """One of them. `host`: where its worktree is, from the moment it is claimed."""

    id: str
    state: str
    worker: str | None
    host: str | None
    effects: int


@dataclass(frozen=True)
class Tasks:
    """All of them. Every method raises Unreachable."""

    database: Database

    def prepare(self) -> None:
        """The tables are there."""
        with self.database.transaction() as execute:
            execute("SELECT pg_advisory_xact_lock(CAST(? AS bigint))", str(_TOGETHER))
            for statement in _SCHEMA:
                execute(statement)

    def claim(self, worker: str, host: str, lease_s: float) -> tuple[str, float] | None:
        """The oldest that waits is this worker's now: its id and how long it takes; None where none waits."""
        with self.database.transaction() as execute:
            rows = execute(_CLAIM, worker, host, f"{lease_s} s").fetchall()
        return (rows[0][0], float(rows[0][1])) if rows else None

    def beat(self, worker: str, host: str, running: Sequence[str], lease_s: float) -> frozenset[str]:
        """The worker lives, and with it what it runs: those that are still its own."""
        with self.database.transaction() as execute:
            execute(_SEEN, worker, host)
            kept = execute(_RENEW, f"{lease_s} s", worker, f"{{{','.join(running)}}}").fetchall()
        return frozenset(id_ for (id_,) in kept)

    def end(self, task: str, worker: str, state: str) -> bool:
        """It ended so; with `done` its effect is recorded in the same transaction. False where it was not its own."""
        with self.database.transaction() as execute:
            ended = execute(_END, state, worker, task).rowcount == 1
            if ended and state == "done":
                execute("INSERT INTO effects (task, worker) VALUES (CAST(? AS bigint), ?)", task, worker)
        return ended

    def sweep(self) -> list[str]:
        """What nobody keeps alive any more ends as interrupted: those that this call ended."""
        with self.database.transaction() as execute:
            return [id_ for (id_,) in execute(_SWEEP).fetchall()]

    def leave(self, worker: str) -> list[str]:
        """What an earlier process of this worker ran cannot be running: it ends as interrupted."""
        with self.database.transaction() as execute:
            return [id_ for (id_,) in execute(_LEFT, worker).fetchall()]

    def find(self, task: str) -> Task | None:
        """One by its id."""
        with self.database.transaction() as execute:
            rows = execute(
                "SELECT id::text, state, worker, host, (SELECT count(*) FROM effects WHERE task = id)::text"
                " FROM tasks WHERE id = CAST(? AS bigint)",
                task,
            ).fetchall()
        if not rows:
            return None
        id_, state, worker, host, effects = rows[0]
        return Task(id_, state, worker, host, int(effects))

    def counts(self) -> Mapping[str, int]:
        """How many are in each state; recorded effects, and how many of those are not a task's first."""
        with self.database.transaction() as execute:
            rows = execute("SELECT state, count(*)::text FROM tasks GROUP BY state").fetchall()
            ((effects, more),) = execute(
                "SELECT count(*)::text, (count(*) - count(DISTINCT task))::text FROM effects"
            ).fetchall()
        counted = {state: int(number) for state, number in rows}
        return {**dict.fromkeys(STATES, 0), **counted, "effects": int(effects), "duplicated_effects": int(more)}

    def workers(self) -> Mapping[str, Mapping[str, object]]:
        """By worker, its host, how long ago it was seen, and how many tasks it runs."""
        with self.database.transaction() as execute:
            rows = execute(
                "SELECT worker, w.host, extract(epoch FROM clock_timestamp() - seen_at)::text,"
                " (SELECT count(*) FROM tasks t WHERE t.worker = w.worker AND state = 'running')::text"
                " FROM workers w ORDER BY worker"
            ).fetchall()
        return {
            name: {"host": host, "seen_s": round(float(age), 3), "running": int(running)}
            for name, host, age, running in rows
        }
