"""Whether the database answers, as readiness asks it: known beforehand, since a host without power answers nobody."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import NoReturn

from .database import Connection, Database, Unreachable

EVERY_S = 0.25
FRESH_S = 3.0
"""An older answer counts for none: one that is on its way may never come."""


class Watch:
    """Asks on a connection of its own, and makes a new one for as long as that takes.

    `prepare` is done first on the first connection, and tried again with the next one where it fails.
    """

    def __init__(self, database: Database, prepare: Callable[[], None] = lambda: None) -> None:
        self._database = database
        self._errors: tuple[type[Exception], ...] = (*database.errors, Unreachable)
        self._prepare = prepare
        self._prepared = False
        self._answered = -FRESH_S

    def start(self) -> None:
        """From now on, until the process ends."""
        threading.Thread(target=self._go_on, daemon=True).start()

    def well(self) -> bool:
        """Whether it answered just now."""
        return time.monotonic() - self._answered < FRESH_S

    def _go_on(self) -> NoReturn:
        while True:
            try:
                connection = self._database.connect()
            except self._errors:
                self._answered = -FRESH_S
            else:
                self._ask(connection)
            time.sleep(EVERY_S)

    def _ask(self, connection: Connection) -> None:
        """For as long as it answers."""
        try:
            while True:
                if not self._prepared:
                    self._prepare()
                    self._prepared = True
                asked = time.monotonic()
                connection.execute("SELECT 1")
                self._answered = asked
                time.sleep(EVERY_S)
        except self._errors:
            self._answered = -FRESH_S
        finally:
            connection.close()
