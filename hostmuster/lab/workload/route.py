"""A path of the workload, and what answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus


@dataclass(frozen=True)
class Asked:
    """A request: its path with the query's first values, its body, and the header Authorization."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    authorization: str = field(default="", repr=False)


@dataclass(frozen=True)
class Answer:
    """A status, and a document that is sent as JSON."""

    status: HTTPStatus
    document: Mapping[str, object] = field(repr=False)


Routes = Mapping[str, Callable[[Asked], Answer]]
"""By path; one that ends in `/` stands for all below it."""


def found(routes: Routes, path: str) -> Callable[[Asked], Answer] | None:
    """What answers a path."""
    below = path[: path.find("/", 1) + 1]
    return routes.get(path) or routes.get(below)
