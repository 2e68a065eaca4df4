"""The automation key for whoever prints what a connection is made with: its secret half stays in the store."""

from __future__ import annotations

import base64
from functools import cached_property
from io import StringIO

from paramiko import Ed25519Key, Message, PKey, SSHException

from hostmuster.engine.automation import AUTOMATION_KEY
from hostmuster.errors import HostmusterError
from hostmuster.secrets.any_store import AnyStore


def private_key(store: AnyStore) -> PKey:
    """The automation user's key, in memory only."""
    return Ed25519Key.from_private_key(StringIO(store.value(AUTOMATION_KEY).text()))


class StoreKey(Ed25519Key):
    """Only the public half, as with a key of an SSH agent; the store is opened when a host asks for a signature.

    So nothing secret is in a host's data, which pyinfra's debug-inventory prints, and that needs no identity.
    """

    def __init__(self, store: AnyStore) -> None:
        public = store.public()[f"{AUTOMATION_KEY}.pub"]
        super().__init__(data=base64.b64decode(public.split(" ")[1]))
        self._store = store

    def sign_ssh_data(self, data: bytes, algorithm: str | None = None) -> Message:
        """A signature by the secret half. Raises SSHException, which fails a host, where the store stays shut."""
        try:
            return self._private.sign_ssh_data(data, algorithm)
        except HostmusterError as error:
            raise SSHException(str(error)) from None

    def to_json(self) -> str:
        """What debug-inventory shows."""
        return f"{AUTOMATION_KEY} of the store ({self.fingerprint})"

    @cached_property
    def _private(self) -> PKey:
        return private_key(self._store)
