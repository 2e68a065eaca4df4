"""A file a person wrote, as text: bounded, UTF-8, without characters nobody sees."""

from __future__ import annotations

import re
import stat
from pathlib import Path

from hostmuster.errors import InputError, Problem

LIMIT = 1024 * 1024
"""Bytes. A fleet of a thousand hosts takes a fifth of it."""

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# C0 controls but tab, LF and CR; DEL; and the line ends that only YAML 1.1 knows (NEL, LS, PS).
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def read_text(path: Path, shown: str) -> str:
    """The file's text. A UTF-8 byte order mark at its start, as Windows editors write it, is dropped.

    Raises InputError when it is absent, no regular file, over LIMIT, not UTF-8, or holds a control character.
    """
    raw = _read_bytes(path, shown)
    if raw.startswith(_UTF16_MARKS):
        raise _refused(f"{shown}:1", "the file is saved as UTF-16", "save it as UTF-8")
    raw = raw.removeprefix(_UTF8_MARK)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        what = f"the byte 0x{raw[error.start]:02x} is not UTF-8"
        raise _refused(f"{shown}:{line}", what, "save the file as UTF-8") from error
    unseen = _UNSEEN.search(text)
    if unseen:
        line = text.count("\n", 0, unseen.start()) + 1
        what = f"an invisible character (U+{ord(unseen.group()):04X}) stands here"
        raise _refused(f"{shown}:{line}", what, "delete it; it often comes along when text is pasted")
    return text


def _read_bytes(path: Path, shown: str) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise _refused(shown, "this is not a regular file", "put the declaration itself here")
        with path.open("rb") as file:
            raw = file.read(LIMIT + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise _refused(shown, f"cannot be read: {reason}", "check its name and its permissions") from error
    if len(raw) > LIMIT:
        remedy = "a fleet file declares; keep large content in a file of its own and name it here"
        raise _refused(shown, "the file is over 1 MiB", remedy)
    return raw


def _refused(where: str, what: str, remedy: str) -> InputError:
    return InputError([Problem(where, what, remedy)])
