"""Where hosts wait for one another, so that all of them go on at the same moment, or none does."""

from __future__ import annotations

from gevent.event import AsyncResult


class Rendezvous:
    """For so many hosts, one greenlet each. Whoever does not come, or leaves, sends all of them home."""

    def __init__(self, hosts: int) -> None:
        self._awaited = hosts
        self._all: AsyncResult[bool] = AsyncResult()

    def arrive(self, ready: bool) -> bool:
        """Waits for the others. Whether every host was ready."""
        self._awaited -= 1
        if not ready:
            self.leave()
        elif self._awaited == 0 and not self._all.ready():
            self._all.set(True)
        return bool(self._all.get())

    @property
    def met(self) -> bool:
        """Whether all were there, and went on."""
        return bool(self._all.ready() and self._all.get())

    def leave(self) -> None:
        """A host that does not come any more. Of no consequence where all went on already."""
        if not self._all.ready():
            self._all.set(False)
