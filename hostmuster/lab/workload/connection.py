"""Reading from a client that may be slow on purpose: a deadline for the whole request, not for each byte."""

from __future__ import annotations

import io
import socket
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class DeadlineReader(io.RawIOBase):
    """A socket's incoming bytes until a deadline that `allow` sets anew; then TimeoutError.

    A timeout of the socket alone starts again with every byte, so that a client sending one now and then
    would hold its thread for ever.
    """

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        super().__init__()
        self._connection = connection
        self._deadline = 0.0
        self.allow(seconds)

    def allow(self, seconds: float) -> None:
        """The next request has so many seconds, from now, to arrive in full."""
        self._deadline = time.monotonic() + seconds

    def readable(self) -> bool:
        """Bytes come from here."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Wait for bytes, at most until the deadline."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request did not arrive in time")
        whole = self._connection.gettimeout()
        self._connection.settimeout(left)
        try:
            return self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(whole)
