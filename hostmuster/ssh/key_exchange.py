"""Which key a host presents: a key exchange and no login, so nothing is trusted and nothing is told."""

from __future__ import annotations

import socket
from collections.abc import Iterable

from paramiko import SSHException, Transport

from hostmuster.errors import HostFailed
from hostmuster.ssh.host_key import HostKey

ED25519 = "ssh-ed25519"
_RSA = ("rsa-sha2-512", "rsa-sha2-256")


def presented(name: str, address: str, port: int, kinds: Iterable[str] = (), timeout_s: float = 10) -> HostKey:
    """The host's key: of one of `kinds` where it has one (the types that are pinned), else ed25519, else any other.

    The exchange is completed, so the host has shown that it holds the private half. Raises HostFailed, naming the host.
    """
    try:
        with socket.create_connection((address, port), timeout=timeout_s) as connected:
            return _exchanged(connected, kinds, timeout_s)
    except (SSHException, OSError, EOFError) as error:
        what = f"it presents no host key at {address} port {port} ({str(error) or type(error).__name__})"
        raise HostFailed(what, where=name, remedy="see that it is up and answers SSH") from None


def _exchanged(connected: socket.socket, kinds: Iterable[str], timeout_s: float) -> HostKey:
    transport = Transport(connected)
    try:
        transport.banner_timeout = timeout_s
        options = transport.get_security_options()
        wished = [algorithm for kind in (*kinds, ED25519) for algorithm in (_RSA if kind == "ssh-rsa" else (kind,))]
        options.key_types = tuple(sorted(options.key_types, key=lambda kind: _rank(kind, wished)))
        transport.start_client(timeout=timeout_s)
        key = transport.get_remote_server_key()
        return HostKey(key.get_name(), key.get_base64())
    finally:
        transport.close()


def _rank(kind: str, wished: list[str]) -> int:
    return wished.index(kind) if kind in wished else len(wished)
