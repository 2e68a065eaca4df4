"""A file that is always whole: written beside itself, synced, renamed; and one writer at a time."""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hostmuster.errors import HostmusterError, Refused

_PART = ".part"


def folder(path: Path, mode: int = 0o777) -> Path:
    """The folder, made with those above it where it is not there. Raises HostmusterError."""
    try:
        path.mkdir(mode=mode, parents=True, exist_ok=True)
    except OSError as error:
        raise HostmusterError(f"the folder cannot be made: {error.strerror}", where=str(path)) from error
    return path


@contextmanager
def only_writer(folder: Path, deadline_s: float = 20.0) -> Iterator[None]:
    """Holds the folder's lock (flock on the folder itself: nothing is left behind, a killed holder frees it).

    Raises Refused when another process still holds it after `deadline_s` seconds, or nobody can.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise Refused(f"the folder cannot be locked: {error.strerror}", where=str(folder)) from error
    try:
        until = time.monotonic() + deadline_s
        while not _locked(handle):
            if time.monotonic() > until:
                raise Refused(
                    "another process is writing here", where=str(folder), remedy="wait for it, then try again"
                )
            time.sleep(0.02)
        yield
    finally:
        os.close(handle)


def write(path: Path, text: str) -> None:
    """Replace a file: no reader and no crash ever sees a part of it. Call it as the only writer.

    A new file gets mode 0644 less the umask (ciphertext, for git); an existing one keeps mode and owner.
    Raises HostmusterError when the disk refuses; the old file is then as it was.
    """
    path = path.resolve()  # a link to a store elsewhere stays a link
    _sweep(path)
    try:
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=_PART)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                _keep_mode(file.fileno(), path)
                os.fsync(file.fileno())
            os.replace(part, path)  # noqa: PTH105 - both forms are the same call
        except BaseException:
            with suppress(OSError):
                os.unlink(part)  # noqa: PTH108
            raise
        _sync_folder(path.parent)
    except OSError as error:
        raise HostmusterError(
            f"the file could not be written and is as it was: {error.strerror}", where=str(path)
        ) from error


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _keep_mode(handle: int, path: Path) -> None:
    try:
        before = path.stat()
    except FileNotFoundError:
        umask = os.umask(0o022)
        os.umask(umask)
        os.fchmod(handle, 0o644 & ~umask)
        return
    if os.geteuid() == 0:
        os.fchown(handle, before.st_uid, before.st_gid)
    os.fchmod(handle, stat.S_IMODE(before.st_mode))


def _sweep(path: Path) -> None:
    """Remove what a killed writer left: we hold the lock, so none of it is in use."""
    for left in path.parent.glob(f".{path.name}.*{_PART}"):
        with suppress(OSError):
            left.unlink()


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
