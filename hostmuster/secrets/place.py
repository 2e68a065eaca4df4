"""Where a fleet's store lies, and its text."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from hostmuster.errors import InputError, Problem, Refused
from hostmuster.project import Project
from hostmuster.secrets.tree import PUT_BACK

BIGGEST: Final = 4 * 1024 * 1024  # bytes; the limit of a store
FOLDER_VARIABLE: Final = "HOSTMUSTER_SECRETS"


def store_path(project: Project, fleet: str, folder: Path | None = None) -> Path:
    """`folder` if given, else $HOSTMUSTER_SECRETS, else the project's secrets/ (H23); one file a fleet."""
    outside = os.environ.get(FOLDER_VARIABLE)
    return (folder or (Path(outside).expanduser() if outside else project.secrets)) / f"{fleet}.yml"


def read_text(path: Path) -> str:
    """Raises Refused when it is not there or cannot be read, InputError when too big or no text."""
    try:
        if path.exists() and not path.is_file():
            # Reading a pipe would wait for ever.
            raise Refused("the store is no file", where=str(path), remedy=PUT_BACK)
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise Refused("there is no secrets store", where=str(path), remedy="make one with secrets.init") from error
    except OSError as error:
        what = f"the store cannot be read: {error.strerror}"
        raise Refused(what, where=str(path), remedy="see to the path and who may read it") from error
    if len(raw) > BIGGEST:
        raise InputError([Problem(str(path), f"{len(raw)} bytes", f"a store has at most {BIGGEST}: is it one?")])
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
    raise InputError([Problem(f"{path}:{line}", "not UTF-8 text", PUT_BACK)])
