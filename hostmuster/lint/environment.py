"""Files that services get by EnvironmentFile= (systemd.exec(5)), read by systemd's own function in its own library.

No command of systemd reads such a file and says what it made of it; what PID 1 calls lies in libsystemd-shared.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from itertools import count, takewhile
from pathlib import Path

from hostmuster.lint.linter import Artefact, Said

remedy = "declare the variables under env_files, which quotes them; names are letters, digits and `_`"
programs = "systemd's own library (libsystemd-shared)"


def version() -> str | None:
    """The library's, by its file."""
    library = _library()
    return f"{library} {library.stat().st_size} {library.stat().st_mtime_ns}" if library else None


def parse(artefacts: Sequence[Artefact]) -> Said:
    """Some milliseconds for all together."""
    library = _library()
    assert library is not None, "asked for its version first"  # noqa: S101
    loaded = ctypes.CDLL(str(library))
    return {artefact: list(_complaints(loaded, artefact)) for artefact in artefacts}


def traps(artefact: Artefact) -> Iterator[str]:
    """What systemd reads as something else than the lines look like; never shows a value."""
    lines = artefact.content.decode("utf-8", "replace").split("\n")
    for number, line in enumerate(lines, 1):
        if line.startswith(("#", ";")) and line.rstrip("\r").endswith("\\"):
            yield f"line {number}: a comment that ends in a backslash takes the next line with it"
        if line.startswith("export "):
            yield f"line {number}: `export` is the shell's: systemd drops the variable"


def _complaints(library: ctypes.CDLL, artefact: Artefact) -> Iterator[str]:
    assigned = _assigned(library, artefact.content)
    if assigned is None:
        yield "systemd refuses the whole file: is it UTF-8?"
        return
    for assignment in assigned:
        if not library.env_assignment_is_valid(assignment):
            yield f"{ascii(assignment.partition(b'=')[0].decode('utf-8', 'replace'))[:60]} is dropped by systemd"


def _assigned(library: ctypes.CDLL, content: bytes) -> list[bytes] | None:
    found = ctypes.POINTER(ctypes.c_char_p)()
    # In memory alone: values need not be secret, but no disk has to know them.
    with os.fdopen(os.memfd_create("env"), "wb") as file:
        file.write(content)
        file.flush()
        if library.load_env_file(None, f"/proc/self/fd/{file.fileno()}".encode(), ctypes.byref(found)) < 0:
            return None
    if library.strv_length(found) == 0:
        return []
    return list(takewhile(lambda pair: pair is not None, map(found.__getitem__, count())))


def _library() -> Path | None:
    found = sorted(Path("/usr/lib").glob("*/systemd/libsystemd-shared-*.so"))
    return found[-1] if found else None
