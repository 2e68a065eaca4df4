"""The pinned host keys of a lab's fleet: the lab made the keys, so nobody has to trust a first contact."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hostmuster.lab.folder import lock, write_atomically


def write(file: Path, keys: Mapping[str, str]) -> None:
    """Make `file` exactly these pins: address to public key, plain known_hosts lines (sshd(8))."""
    with lock("pins"):
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, "".join(f"{address} {key}\n" for address, key in keys.items()), mode=0o644)
