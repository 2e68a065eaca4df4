"""A host in the hands of one run: each program goes under the run's lease, one after the other."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from gevent.lock import BoundedSemaphore

from hostmuster.engine.confirmation import confirm
from hostmuster.engine.connection import Connection, Word
from hostmuster.engine.lease import Lease, LeaseHeld, refusal, takeover
from hostmuster.errors import HostFailed, HostmusterError
from hostmuster.onhost.answers import Answers


class Hold:
    """`lease` None: programs that only look. `refused`: why the host did not do the last program, if it did not."""

    def __init__(self, connection: Connection, lease: Lease | None) -> None:
        self.connection = connection
        self.lease = lease
        self.refused: HostmusterError | None = None
        self.interrupted = False
        """Nothing more is begun here: the run is to end."""
        self._turn = BoundedSemaphore()
        self._spoke = 0.0
        self._leased = False
        self._takeover: str | None = None

    def run(self, *lines: str, words: Sequence[Word] = ()) -> Answers:
        """Runs a program once no other of this run is under way there; the lease is its first line.

        `words`: what is said at its Meet steps.
        """
        with self._turn:
            answers = self._run(*lines, words=words)
            if self.lease and isinstance(self.refused, LeaseHeld) and self.lease.survives(self.refused):
                # A refused program has done nothing, since the lease is its first line.
                self.lease = replace(self.lease, dead=self.refused.run)
                answers = self._run(*lines, words=words)
            return answers

    def _run(self, *lines: str, words: Sequence[Word] = ()) -> Answers:
        taken = [self.lease.take] if self.lease else []
        self._leased = self._leased or bool(taken)
        self._spoke = time.monotonic()
        program = "\n".join(filter(None, [*taken, *lines]))
        answers = self.connection.meet(program, words) if words else self.connection.run(program)
        self.refused = refusal(self.connection.host.name, answers)
        self._takeover = takeover(answers) or self._takeover
        if self.refused is not None or any(text.startswith("release ") for text in lines):
            self._leased = False
        return answers

    def takeover(self) -> str | None:
        """Whose lease was taken over since this was last asked, in words."""
        said, self._takeover = self._takeover, None
        return said

    def confirm(self, transaction: str, item: str, arm_s: int) -> Answers:
        """The confirmation of an armed change, over a new connection."""
        with self._turn:
            return confirm(self.connection, transaction, item, arm_s)

    def release(self) -> None:
        """Gives the lease back where this run still has one. Waits for the program that is under way there."""
        if self.lease is not None and self._leased:
            self.run(self.lease.release())
            self.refused = None

    def renew(self) -> None:
        """Renews the lease before it expires, unless a program does so just now.

        Raises HostFailed where another run has the host meanwhile.
        """
        if self.lease is None or not self._leased or self._turn.locked():
            return
        if time.monotonic() - self._spoke > self.lease.seconds / 3:
            self.run()
            self.raise_refusal()

    def lose(self) -> None:
        """The host is not to be reached: nothing can be given back there."""
        self._leased = False

    def raise_refusal(self) -> None:
        """Raises HostFailed where the host did not do the last program."""
        if self.refused is not None:
            error, self.refused = self.refused, None
            raise HostFailed(error.what, where=self.connection.host.name, remedy=error.remedy)
