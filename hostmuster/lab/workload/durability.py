"""What this replica's own connection says of how its commits are kept (R10): `/internal/database`."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from .database import Database, Unreachable
from .route import Answer, Asked, Routes

# As they are for this session: a role or a database may have others than the server's file says.
_ASK = """SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')
    UNION ALL SELECT 'ssl', CASE WHEN ssl THEN 'on' ELSE 'off' END FROM pg_stat_ssl WHERE pid = pg_backend_pid()
    UNION ALL SELECT 'user', current_user::text
    UNION ALL SELECT 'database', current_database()::text
    ORDER BY 1"""


@dataclass(frozen=True)
class Durability:
    """Of PostgreSQL."""

    database: Database

    @property
    def routes(self) -> Routes:
        """For hosts, not for the public."""
        return {"/internal/database": self._answer}

    def _answer(self, _: Asked) -> Answer:
        try:
            with self.database.transaction() as execute:
                return Answer(HTTPStatus.OK, _pairs(execute(_ASK).fetchall()))
        except Unreachable as error:
            return Answer(HTTPStatus.SERVICE_UNAVAILABLE, {"error": str(error)})


def _pairs(rows: list[tuple[str, ...]]) -> dict[str, str]:
    return {row[0]: row[1] for row in rows}
