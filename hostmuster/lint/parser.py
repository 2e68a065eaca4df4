"""Programs of this machine that read a grammar: which ones there are, and what they say of an artefact."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hostmuster.lint.linter import Artefact


@dataclass(frozen=True)
class Heard:
    """How a parser ended, and the lines it wrote to standard error; the folder of the trial is left out of them."""

    status: int
    lines: tuple[str, ...]


def version_of(*programs: str, alone: bool = False) -> str | None:
    """Which programs these are, by their files: asking each for its version takes longer than a cached answer.

    None where one is missing, or where it is to run `alone` and this machine does not let it.
    """
    found = [shutil.which(program, path=_path()) for program in programs]
    files = [Path(program).resolve() for program in found if program is not None]
    if len(files) < len(programs):
        return None
    if alone and enclosure() is None:
        return None
    return " ".join(f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files)


@cache
def enclosure() -> tuple[str, ...] | None:
    """What puts a program into a network without a way out and a mount table of its own, as root of both alone.

    They are gone with the process. None where this system has no such thing, or lets only root make it.
    """
    if sys.platform != "linux":
        return None
    words = ("unshare", *(() if os.geteuid() == 0 else ("--map-root-user",)), "--net", "--mount", "--")
    try:
        made = run(*words, "true", folder="").status == 0
    except OSError:
        return None
    return words if made else None


def read_alone(artefact: Artefact, *words: str, content: bytes | None = None) -> Heard:
    """As read, in an enclosure, which there must be."""
    return read(artefact, *(enclosure() or ()), *words, content=content)


def read(artefact: Artefact, *words: str, content: bytes | None = None) -> Heard:
    """Runs `words`, completed with the path of a file of the artefact's name and content (or another one)."""
    with tempfile.TemporaryDirectory(prefix="hostmuster-lint-") as folder:
        # A daemon that drops root's rights must find it.
        Path(folder).chmod(0o755)
        file = Path(folder) / artefact.name
        file.write_bytes(artefact.content if content is None else content)
        return run(*words, str(file), folder=folder)


def run(*words: str, folder: str, **environment: str) -> Heard:
    """Runs a parser on what lies in a folder. Nothing of the operator's environment changes what it says."""
    done = subprocess.run(
        words,
        env={"PATH": _path(), "LC_ALL": "C", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    said = done.stderr.decode("utf-8", "replace").replace(f"{folder}/", "").splitlines()
    return Heard(done.returncode, tuple(line.strip() for line in said if line.strip()))


def _path() -> str:
    # Debian keeps daemons where an ordinary user's PATH does not look.
    return f"{os.environ.get('PATH', os.defpath)}:/usr/local/sbin:/usr/sbin:/sbin"
