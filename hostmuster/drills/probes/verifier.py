"""Who has the tokens of one replica verified by another one (K4)."""

from __future__ import annotations

import json
import queue
import threading
import time
from dataclasses import dataclass, field

from hostmuster.drills.probes.client import Away, Client, Failed, Told
from hostmuster.drills.probes.tally import Tally

KEPT_EVERY_S = 1.0
"""So often a token is kept, to be asked about as long as it lives."""
WAITING = 8
LEAST_LEFT_S = 1.0
"""A token nearer to its end than that is asked about no more: its clock's second and the way there are within it."""


@dataclass(frozen=True)
class Token:
    """A token, when it was given and when it ends, in seconds since 1970."""

    text: str = field(repr=False)
    given: float
    ends: float

    @property
    def lives(self) -> bool:
        return self.ends - time.time() > LEAST_LEFT_S

    @property
    def age(self) -> str:
        """How old it is, for the kind of a failure."""
        return "new" if time.time() - self.given < KEPT_EVERY_S else "kept"


class Verifier(threading.Thread):
    """Has tokens of one replica verified by another one."""

    def __init__(self, signer: str, verifier: str, base: str, tally: Tally) -> None:
        super().__init__(daemon=True)
        self._signer, self._verifier = signer, verifier
        self._client, self._tally = Client(base), tally
        self._waiting: queue.Queue[Token | None] = queue.Queue(WAITING)

    def give(self, token: Token) -> None:
        """One more; none where the verifier is so far behind that it is away or the prober too slow."""
        try:
            self._waiting.put_nowait(token)
        except queue.Full:
            self._tally.missed(f"{self._signer} by {self._verifier}")

    def end(self) -> None:
        """No more, once those waiting are done."""
        self._waiting.put(None)

    def run(self) -> None:
        """Until the end."""
        while token := self._waiting.get():
            if token.lives:
                self._verify(token)
            else:
                self._tally.missed(f"{self._signer} by {self._verifier}")

    def _verify(self, token: Token) -> None:
        where = f"{self._signer} by {self._verifier}"
        try:
            told = self._client.ask("POST", "/verify", token.text.encode())
        except Away as why:
            self._tally.away(self._verifier, str(why))
        except Failed as kind:
            self._tally.failed(f"verify: {kind}", where)
        else:
            if told.status == 200:
                self._tally.verified(self._signer, self._verifier)
            elif not token.lives:  # it may have ended on its way
                self._tally.missed(where)
            else:
                self._tally.failed(f"{token.age} token refused: {reason(told)}", where)


def reason(told: Told) -> str:
    """Why a replica refused."""
    try:
        return str(json.loads(told.body)["error"])[:80]
    except (ValueError, KeyError, TypeError):
        return f"status {told.status}"
