"""One client's connection to a replica, kept open as a pool of connections keeps it."""

from __future__ import annotations

import http.client
from dataclasses import dataclass
from urllib.parse import urlsplit

TIMEOUT_S = 2.0
ATTEMPTS = 3
"""One on a connection that may be stale, and two on new ones."""


class Away(Exception):
    """Nobody serves there: no connection, or a word that it takes no requests now. Another one would be asked."""


class Failed(Exception):
    """A request that was taken got no good answer; the text is the kind."""


@dataclass(frozen=True)
class Told:
    """An answer."""

    status: int
    body: bytes


class Client:
    """Requests to one replica, one after the other."""

    def __init__(self, base: str, timeout_s: float = TIMEOUT_S) -> None:
        url = urlsplit(base)
        if url.scheme != "http" or not url.hostname:
            raise ValueError(f"{base} is not http://HOST:PORT")
        self._connection = http.client.HTTPConnection(url.hostname, url.port or 80, timeout=timeout_s)

    def ask(self, method: str, path: str, body: bytes | None = None) -> Told:
        """The answer. All that is asked here may be asked twice, so that a connection that breaks off is tried anew.

        Raises Away, and Failed where new connections break off too.
        """
        for _ in range(ATTEMPTS):
            self._connect()
            try:
                self._connection.request(method, path, body)
                answer = self._connection.getresponse()
                told = Told(answer.status, answer.read())
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                kind = type(error).__name__
            else:
                if told.status == 503:
                    raise Away("takes no requests")
                return told
        raise Failed(f"no answer: {kind}")

    def _connect(self) -> None:
        if self._connection.sock is None:
            try:
                self._connection.connect()
            except OSError as error:
                self._connection.close()
                raise Away(type(error).__name__) from None
