"""Whether a guest has come up: seen in the kernel's own tables first, then by one connection from outside.

Knocking until somebody opens is slow: each knock at a host without an address leaves a failed neighbour look-up that
costs a second, and each one too early costs the guest a process of its sshd.
"""

from __future__ import annotations

import socket
from pathlib import Path

SSH = 22
LISTENING = "0A"  # TCP_LISTEN, include/net/tcp_states.h


def is_listening(leader: int, port: int = SSH) -> bool:
    """Whether something in the guest of this PID 1 listens on a TCP port (proc(5), /proc/net/tcp)."""
    try:
        tables = [Path(f"/proc/{leader}/net/{table}").read_text() for table in ("tcp", "tcp6")]
    except OSError:
        return False
    sockets = [line.split() for table in tables for line in table.splitlines()[1:]]
    return any(fields[1].endswith(f":{port:04X}") and fields[3] == LISTENING for fields in sockets)


def has_address(leader: int, address: str) -> bool:
    """Whether the guest of this PID 1 has given itself its address."""
    try:
        return f"|-- {address}\n" in Path(f"/proc/{leader}/net/fib_trie").read_text()
    except OSError:
        return False


def answers(address: str) -> bool:
    """Whether an SSH server greets us there."""
    try:
        with socket.create_connection((address, SSH), timeout=2) as connection:
            connection.settimeout(10)
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False
