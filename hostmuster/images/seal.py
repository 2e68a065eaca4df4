"""Which archives were found whole before: a line a file, by its inode, size and time, in the user's cache folder.

It is kept because comparing a large archive with its digests takes seconds, and every run reads it. A cache that cannot
be read or written costs time and nothing else; what travels is compared on the host again.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

MOST = 200


def known(path: Path, config: str) -> str | None:
    """The digest (hex) of what travels, where this very file was found whole with this configuration."""
    try:
        said = _entry(path, config).read_text()
    except OSError:
        return None
    return said if re.fullmatch("[0-9a-f]{64}", said) else None


def put(path: Path, config: str, digest: str) -> None:
    """Remembers it; the oldest go first."""
    try:
        entry = _entry(path, config)
        entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside = entry.with_suffix(f".{os.getpid()}")
        beside.write_text(digest)
        beside.replace(entry)
        entries = sorted(entry.parent.iterdir(), key=lambda one: one.stat().st_mtime)
        for old in entries[:-MOST]:
            old.unlink(missing_ok=True)
    except OSError:
        return


def _entry(path: Path, config: str) -> Path:
    found = path.stat()
    key = f"{path.absolute()}\0{found.st_ino}\0{found.st_size}\0{found.st_mtime_ns}\0{config}"
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "hostmuster" / "images" / hashlib.sha256(key.encode()).hexdigest()
