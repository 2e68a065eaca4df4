"""The database by its URL: SQLite for one instance alone, PostgreSQL for several, never one for the other (H19)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from . import postgres
from .environment import Environment
from .idle import Idle
from .settings import Misconfigured

URL = "DATABASE_URL"
BUSY_S = 10.0


class Unreachable(Exception):
    """The database does not answer; trying again may help."""


class Cursor(Protocol):
    """What both drivers give for a statement."""

    @property
    def rowcount(self) -> int:
        """The rows that were changed."""

    def fetchall(self) -> list[tuple[str, ...]]:
        """All rows; statements ask for text alone."""


class Connection(Protocol):
    """What both drivers call a connection; each statement is a transaction of its own until one begins."""

    def execute(self, statement: str, values: Sequence[str] = ..., /) -> Cursor:
        """Run a statement."""

    def close(self) -> None:
        """The end of it."""


Execute = Callable[..., Cursor]


@dataclass(frozen=True)
class Database:
    """`begin`: how a transaction starts. `mark`: a parameter's place in a statement. `lock`: what keeps other writers
    from a table until the transaction ends; None where `begin` does. `idle`: where connections are kept."""

    connect: Callable[[], Connection]
    errors: tuple[type[Exception], ...]
    begin: str
    mark: str
    lock: str | None = None
    idle: Idle[Connection] = field(default_factory=lambda: Idle(0), repr=False)

    @contextmanager
    def transaction(self) -> Iterator[Execute]:
        """Statements (with `?`) that hold together or not at all. Raises Unreachable."""
        connection = self._begun()
        whole = False
        try:
            yield lambda statement, *values: connection.execute(statement.replace("?", self.mark), values)
            connection.execute("COMMIT")
            whole = True
        except self.errors as error:
            raise Unreachable(f"the database failed: {type(error).__name__}") from None
        finally:
            if whole:
                self.idle.put(connection)
            else:
                connection.close()  # without a COMMIT that is a rollback, with either driver

    def _begun(self) -> Connection:
        """A connection with a transaction begun: one that was kept, where it still answers, else a new one."""
        while kept := self.idle.take():
            try:
                kept.execute(self.begin)
            except self.errors:
                # Nothing was done on it yet, so nothing is done twice.
                kept.close()
                self.idle.clear()
            else:
                return kept
        try:
            connection = self.connect()
            connection.execute(self.begin)
        except self.errors as error:
            raise Unreachable(f"the database does not answer: {type(error).__name__}") from None
        return connection


def named(environment: Environment, *, alone: bool) -> Database:
    """The one that DATABASE_URL names. Raises Misconfigured, without the URL: it may hold a password."""
    url = environment[URL]
    if url.startswith("sqlite:///"):
        if not alone:
            raise Misconfigured([f"{URL} is SQLite, and several replicas cannot share a file: they need postgresql://"])
        return _sqlite(url.removeprefix("sqlite:///"))
    if url.startswith(("postgresql://", "postgres://")):
        driver = postgres.Driver.of(environment, url)
        return Database(driver.connect, driver.errors, "BEGIN", "%s", "LOCK TABLE {} IN EXCLUSIVE MODE", Idle(8))
    raise Misconfigured([f"{URL} is not valid: sqlite:///PATH or postgresql://..."])


def _sqlite(path: str) -> Database:
    if not path.startswith("/"):
        raise Misconfigured([f"{URL} is not valid: sqlite:/// and an absolute path, so four slashes"])

    def connect() -> Connection:
        connection: Connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
        return connection

    return Database(connect, (sqlite3.Error,), "BEGIN IMMEDIATE", "?")
