"""A line of the table of K1, as it stands for a service or for one of its replicas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from hostmuster.errors import Problem

Line = Literal["replicas", "signing key", "Fernet key", "renderer credential", "object storage", "Redis", "store"]
State = Literal["holds", "missing", "NOT_RUN"]
KINDS: Final[Mapping[Line, str]] = {
    "signing key": "rsa-signing-ring",
    "Fernet key": "fernet",
    "renderer credential": "shared-credential",
}
"""The kind of the secret that a line asks for."""
OF_KIND: Final[Mapping[str, Line]] = {**{kind: line for line, kind in KINDS.items()}, "redis-url": "Redis"}
"""The line that a secret of a kind belongs to."""

VARIABLES: Final[Mapping[str, Line]] = {
    "BACKEND_MULTI_INSTANCE": "replicas",
    "WEB_CONCURRENCY": "replicas",
    "UVICORN_WORKERS": "replicas",
    "RUNTIME_RSA_": "signing key",
    "AI_SECRET_ENCRYPTION_KEY": "Fernet key",
    "RENDER_SERVICE_CREDENTIAL": "renderer credential",
    "ASSET_STORAGE_DRIVER": "object storage",
    "OBJECT_STORAGE_SHARED_VOLUME": "object storage",
    "S3_": "object storage",
    "REDIS_URL": "Redis",
}
"""The line that a variable belongs to, by how its name begins."""


def line_of(variable: str) -> Line | None:
    """None for a variable that replicas may have differently."""
    return next((line for start, line in VARIABLES.items() if variable.startswith(start)), None)


@dataclass(frozen=True)
class Finding:
    """One line of the table for one service. `problem`: what is missing; None where it holds, or was not looked at.

    `host`: the replica that it is about; empty: all of them.
    """

    line: Line
    service: str
    said: str
    problem: Problem | None = None
    looked_at: bool = True
    host: str = ""

    @property
    def state(self) -> State:
        """Nobody having looked is NOT_RUN, never passed."""
        return "missing" if self.problem else "holds" if self.looked_at else "NOT_RUN"

    def document(self) -> dict[str, str]:
        """Its part of the command's document."""
        row = {"line": self.line, "service": self.service, "host": self.host, "state": self.state, "said": self.said}
        return row | ({"where": self.problem.where, "remedy": self.problem.remedy} if self.problem else {})


def missing(line: Line, service: str, host: str, problem: Problem) -> Finding:
    """A miss of one replica; of all of them where `host` is empty."""
    return Finding(line, service, problem.what, problem, host=host)
