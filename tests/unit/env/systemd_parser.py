"""systemd's own reader of environment files, called in its own library: what PID 1 does with EnvironmentFile=."""

from __future__ import annotations

import ctypes
from itertools import count
from pathlib import Path


def read(path: Path) -> dict[str, str]:
    """The variables a service would get; assignments that PID 1 drops are left out."""
    library = ctypes.CDLL(str(sorted(Path("/usr/lib").glob("*/systemd/libsystemd-shared-*.so"))[-1]))
    found = ctypes.POINTER(ctypes.c_char_p)()
    code = library.load_env_file(None, str(path).encode(), ctypes.byref(found))
    if code < 0:
        raise ValueError(f"load_env_file: {code}")
    variables: dict[str, str] = {}
    for position in count():
        line = found[position]
        if line is None:  # the list ends with a NULL
            return variables
        if library.env_assignment_is_valid(line):
            name, _, value = line.decode().partition("=")
            variables[name] = value
    raise AssertionError("count() ends")
