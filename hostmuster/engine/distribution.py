"""Content on its way to all hosts of a run: from the controller once, then from host to host."""

from __future__ import annotations

from gevent.queue import Queue

from hostmuster.engine.connection import Connection
from hostmuster.engine.content_channel import NotHandedOn, Say, fetch, send
from hostmuster.resources.step import Deliver

CONTROLLER = ""
_TRIES = 2
"""A part that a power loss left may be anything: it is found out by its digest, and comes anew."""


class Sources:
    """Where one content is to be had. Each serves one host at a time; who has got it serves too, so they double.

    The controller is one only while no host is: in the beginning, and when every other was lost.
    """

    def __init__(self) -> None:
        self._idle: Queue[str] = Queue()
        self._idle.put(CONTROLLER)
        self._count = 1

    @property
    def idle(self) -> int:
        """How many serve nobody now."""
        return self._idle.qsize()

    def take(self) -> str:
        """One that serves nobody now; waits for it."""
        return self._idle.get()

    def give_back(self, source: str) -> None:
        """It serves the next one."""
        self._idle.put(source)

    def lost(self, source: str) -> None:
        """It cannot serve."""
        self._count -= 1
        if source == CONTROLLER or self._count == 0:
            self._count += 1
            self._idle.put(CONTROLLER)

    def gained(self, host: str, source: str) -> None:
        """The host has it now, from this source."""
        if source not in (CONTROLLER, host):
            self._count += 1
            self._idle.put(source)
        self._idle.put(host)


class Distribution:
    """What one run brings to its hosts."""

    def __init__(self) -> None:
        self._sources: dict[str, Sources] = {}
        self._brought: dict[str, set[str]] = {}

    def deliver(self, way: Connection, content: Deliver, say: Say) -> None:
        """Brings it to a host, or finds it there. Raises HostmusterError, HostFailed where it did not come whole."""
        sources = self._sources.setdefault(content.digest, Sources())
        host = way.host.name
        tries = _TRIES
        while True:
            source = sources.take()
            try:
                if source == CONTROLLER:
                    send(way, content, say)
                else:
                    fetch(way, content, source, say)
            except NotHandedOn:
                sources.lost(source)
                tries -= source == CONTROLLER
                if not tries:
                    raise
            except BaseException:
                # Whatever ended this, others wait for the source.
                sources.give_back(source)
                raise
            else:
                sources.gained(host, source)
                self._brought.setdefault(host, set()).add(content.digest)
                return

    def brought(self, host: str) -> set[str]:
        """What lies there now, for this run's other hosts; whoever asks takes it away."""
        return self._brought.pop(host, set())
