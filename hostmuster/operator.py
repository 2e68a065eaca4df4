"""The person who runs hostmuster: as whom a lease names them, and the one thing they are asked for."""

from __future__ import annotations

import getpass
import os
import socket
import sys

from hostmuster.errors import Refused


def holder() -> str:
    """Who runs this, as a lease names its holder: the person behind sudo, and the machine."""
    return f"{os.environ.get('SUDO_USER') or getpass.getuser()}@{socket.gethostname()}"


def ask_sudo_password(where: str) -> str:
    """The hosts' sudo password, asked for once and never echoed. Raises Refused, for `where`, without a terminal."""
    if not sys.stdin.isatty():
        raise Refused(
            "there is no terminal to ask for the sudo password on",
            where=where,
            remedy="run it in a terminal, or let the automation user use sudo without a password",
        )
    try:
        return getpass.getpass("sudo password on the hosts: ")
    except EOFError:
        raise Refused("no password was given; nothing was touched", where=where) from None
