"""The file of a fleet's pinned host keys: read, and replaced as a whole under a lock."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hostmuster.errors import InputError, Problem
from hostmuster.ssh.known_hosts import KnownHosts


def read(file: Path) -> KnownHosts:
    """What is pinned; nothing where there is no file. Raises InputError in the middle of a merge (git-merge(1))."""
    try:
        text = file.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return KnownHosts()
    for number, words in enumerate(text.splitlines(), 1):
        if words.startswith(("<<<<<<< ", ">>>>>>> ")):
            # Both sides would count as pinned, a key that one of them took back too.
            remedy = "end the merge: keep each host's one line, and every @revoked one of both sides"
            raise InputError([Problem(f"{file}:{number}", "conflict markers of a merge", remedy)])
    return KnownHosts.parse(text)


def change(file: Path, changed: Callable[[KnownHosts], KnownHosts]) -> None:
    """Replaces the file by what `changed` makes of it; two at once wait for each other, so none loses the other's pin.

    Temp file, fsync, rename, fsync of the folder: killed anywhere, the file is the old or the new one.
    """
    target = file.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    with _held(target.parent) as folder:
        before = read(target)
        after = changed(before)
        if after == before and target.exists():
            return
        # One name, not one for each process: what a killed writer left is written over by the next.
        beside = target.with_name(f".{target.name}.new")
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as sink:
            os.fchmod(sink.fileno(), mode)
            sink.write(after.text.encode("utf-8", "surrogateescape"))
            sink.flush()
            os.fsync(sink.fileno())
        beside.replace(target)
        os.fsync(folder)


@contextmanager
def _held(folder: Path) -> Iterator[int]:
    """The folder itself is the lock (flock(2)): nothing is left beside the pins, which belong in git."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield opened
    finally:
        os.close(opened)
