"""Connections between two transactions: making one costs more than most transactions do."""

from __future__ import annotations

import threading
from typing import Generic, Protocol, TypeVar


class Closable(Protocol):
    """What is kept here."""

    def close(self) -> None:
        """The end of it."""


Kept = TypeVar("Kept", bound=Closable)


class Idle(Generic[Kept]):
    """At most so many; the one that was used last is used next."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: list[Kept] = []

    def take(self) -> Kept | None:
        """One of them, if there is any."""
        with self._lock:
            return self._kept.pop() if self._kept else None

    def put(self, connection: Kept) -> None:
        """Keep it, or close it where enough are kept."""
        with self._lock:
            if len(self._kept) < self._most:
                self._kept.append(connection)
                return
        connection.close()

    def clear(self) -> None:
        """Close all: where one of them broke, the others did."""
        with self._lock:
            broken, self._kept = self._kept, []
        for connection in broken:
            connection.close()
