"""The pinned host keys of a lab's fleet: the lab made the keys, so nobody has to trust a first contact."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hostmuster.ssh import pin_file
from hostmuster.ssh.host_key import HostKey
from hostmuster.ssh.known_hosts import KnownHosts, line


def write(file: Path, keys: Mapping[str, str]) -> None:
    """Make `file` exactly these pins: address to public key, plain known_hosts lines (sshd(8)).

    Lines of hosts that left the fleet stay.
    """
    lines = tuple(line(address, HostKey(*key.split()[:2])) for address, key in keys.items())
    pin_file.change(file, lambda before: KnownHosts((*before.departures.lines, *lines)))
