"""The change stage's signature: a certificate that a plan asks for becomes a file, with the CA's key out of the store.

Only here the CA's key is read; it enters no resource, no plan and no journal.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from hostmuster.resources.step import Blocked, Deliver, Put, PutCertificate, Sent, Step
from hostmuster.secrets.any_store import AnyStore
from hostmuster.ssh.certificate import sign

CA = "ssh-ca"
"""The secret's name in the store; its public half is `ssh-ca.pub` among the public values."""
DAY_S = 86400


class Signer:
    """Signs by one store's CA."""

    def __init__(self, store: AnyStore) -> None:
        self._store = store

    def sent(self, steps: Iterable[Step]) -> Iterator[Sent]:
        """The steps as a host gets them. Raises Refused where the store cannot be opened or has no CA."""
        for step in steps:
            match step:
                case PutCertificate():
                    yield self._signed(step)
                case Blocked() | Deliver():
                    continue
                case _:
                    yield step

    def _signed(self, step: PutCertificate) -> Put:
        now = int(time.time())
        certificate = sign(
            self._store.value(CA),
            step.public_key,
            key_id=step.key_id,
            principals=step.principals,
            ends=now + step.days * DAY_S,
            now=now,
            host=step.host,
        )
        return Put(step.path, certificate, "0644", "root", "root")
