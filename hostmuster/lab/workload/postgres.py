"""PostgreSQL by Debian's python3-psycopg: how a replica connects, and notices that the other side is gone."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .environment import Environment, secret
from .settings import Misconfigured

if TYPE_CHECKING:
    from .database import Connection

PASSWORD = "DATABASE_PASSWORD"  # noqa: S105 - a variable's name
SILENCE_S = 3
"""After so long without a sign of life the other side is gone: a host without power says nothing at all."""
_LIVENESS = {
    "connect_timeout": SILENCE_S,
    "tcp_user_timeout": SILENCE_S * 1000,
    "keepalives_idle": 1,
    "keepalives_interval": 1,
    "keepalives_count": SILENCE_S,
    # The server's side of the same: a client without power, or another host in its place, has no lock on a table.
    "options": f"-c tcp_keepalives_idle=1 -c tcp_keepalives_interval=1 -c tcp_keepalives_count={SILENCE_S} "
    f"-c tcp_user_timeout={SILENCE_S}s",
    # One that only follows another server, or was promoted away, is not the one that is meant.
    "target_session_attrs": "read-write",
    "application_name": "workload",
    # libpq looks for a certificate in the user's home, and takes one that it may not look at for a mistake.
    "sslcert": "/nonexistent",
}


@dataclass(frozen=True)
class Driver:
    """The library, and where it connects: a URL without the password, which comes apart as a secret of its own."""

    module: ModuleType
    url: str = field(repr=False)
    password: str | None = field(repr=False)

    @classmethod
    def of(cls, environment: Environment, url: str) -> Driver:
        """Raises Misconfigured: without the driver nothing else is used in its place (H19)."""
        try:
            module = importlib.import_module("psycopg")
        except ImportError as error:
            raise Misconfigured(["python3-psycopg is not installed, and DATABASE_URL is PostgreSQL"]) from error
        password = secret(environment, PASSWORD)
        try:
            inside = urlsplit(url).password
        except ValueError:
            raise Misconfigured(["DATABASE_URL is not valid: postgresql://USER@HOST/DATABASE"]) from None
        if password and inside:
            raise Misconfigured([f"DATABASE_URL holds a password, and {PASSWORD} is set too: one of them"])
        return cls(module, url, password)

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """All that the driver raises."""
        error: type[Exception] = self.module.Error
        return (error,)

    def connect(self) -> Connection:
        """A connection on which each statement is a transaction of its own until one begins."""
        apart = {"password": self.password} if self.password else {}
        connection: Connection = self.module.connect(self.url, autocommit=True, **_LIVENESS, **apart)
        return connection
