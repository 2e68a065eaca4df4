"""Rows whose values are encrypted in the database (K6)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING

from .database import Database, Unreachable
from .route import Answer, Asked, Routes
from .settings import Misconfigured

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

TABLE = "secret_rows"
CREATE = "CREATE TABLE IF NOT EXISTS secret_rows (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
PUT = "INSERT INTO secret_rows (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
LONGEST_NAME = 200


@dataclass(frozen=True)
class Rows:
    """The table, and the key of all its values."""

    database: Database
    fernet: Fernet = field(repr=False)

    def prepare(self) -> None:
        """The table is there, and this replica's key opens what is in it.

        Raises Misconfigured where it does not: this replica would write what the others cannot read; Unreachable.
        """
        with self.database.transaction() as execute:
            execute(CREATE)
            found = execute("SELECT value FROM secret_rows LIMIT 1").fetchall()
        if any(opened(self.fernet, value) is None for (value,) in found):
            raise Misconfigured(["AI_SECRET_ENCRYPTION_KEY does not open the rows that are there"])

    @property
    def routes(self) -> Routes:
        """`/rows`: GET with `name` reads one, without it counts them; POST of `name` and `value` writes one."""
        return {"/rows": self._answer}

    def _answer(self, asked: Asked) -> Answer:
        try:
            return self._write(asked.body) if asked.method == "POST" else self._read(asked.query.get("name"))
        except Unreachable as error:
            return Answer(HTTPStatus.SERVICE_UNAVAILABLE, {"error": str(error)})

    def _write(self, body: bytes) -> Answer:
        try:
            given = json.loads(body)
        except ValueError:
            given = None
        if not isinstance(given, dict) or set(given) != {"name", "value"}:
            return Answer(HTTPStatus.BAD_REQUEST, {"error": "a JSON object of name and value"})
        name, value = given["name"], given["value"]
        if not isinstance(name, str) or not isinstance(value, str) or not 0 < len(name) <= LONGEST_NAME or "\0" in name:
            return Answer(HTTPStatus.BAD_REQUEST, {"error": "name and value are texts"})
        with self.database.transaction() as execute:
            execute(PUT, name, self.fernet.encrypt(value.encode("utf-8", "surrogatepass")).decode())
        return Answer(HTTPStatus.CREATED, {"name": name})

    def _read(self, name: str | None) -> Answer:
        with self.database.transaction() as execute:
            if name is None:
                return Answer(HTTPStatus.OK, {"rows": len(execute("SELECT name FROM secret_rows").fetchall())})
            found = execute("SELECT value FROM secret_rows WHERE name = ?", name).fetchall()
        if not found:
            return Answer(HTTPStatus.NOT_FOUND, {"error": "no such row"})
        value = opened(self.fernet, found[0][0])
        if value is None:
            return Answer(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "the row cannot be decrypted"})
        return Answer(HTTPStatus.OK, {"name": name, "value": value.decode("utf-8", "surrogatepass")})


def opened(fernet: Fernet, value: str) -> bytes | None:
    """What was encrypted; None where it was not with this key."""
    from cryptography.fernet import InvalidToken

    try:
        return fernet.decrypt(value.encode())
    except InvalidToken:
        return None
