"""The confirmation of an armed change: over a new connection, since the old one proves nothing."""

from __future__ import annotations

import time

import gevent

from hostmuster.engine.connection import Connection
from hostmuster.errors import HostFailed
from hostmuster.onhost.answers import Answers
from hostmuster.onhost.program import line

AGAIN_S = 5
"""For so long a connection that is to confirm a change is tried again."""


def confirm(connection: Connection, transaction: str, item: str, arm_s: int) -> Answers:
    """What the host says to the confirmation. Raises HostFailed when no new connection comes about: it reverts then."""
    began = time.monotonic()
    while True:
        connection.close()
        try:
            return connection.run(line("confirm", transaction))
        except HostFailed as error:
            # An sshd that reads its configuration anew listens to nobody for a moment. One that refuses our key
            # is not asked again: from OpenSSH 9.8 on it would close its door to us for a while.
            refused = error.what.startswith(("Authentication", "SSH host key", "No host key"))
            if not refused and time.monotonic() - began < min(AGAIN_S, arm_s / 2):
                gevent.sleep(0.5)
                continue
            what = f"no new connection after the change of {item} ({error.what}); it is taken back within {arm_s} s"
            raise HostFailed(what, where=connection.host.name, remedy="correct it and apply again") from error
