"""chrony's configuration (chrony.conf(5)), checked by `chronyd -p`."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from hostmuster.lint.linter import Artefact, Said

remedy = "correct the template; comments need a line of their own, and no byte order mark"

_STAMP = re.compile(r"^\S+Z (Fatal error : )?")


def version() -> str | None:
    """`chronyd --version`."""
    program = _program()
    if program is None:
        return None
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout.strip()


def parse(artefacts: Sequence[Artefact]) -> Said:
    """One call an artefact: a few milliseconds each."""
    return {artefact: _parse(artefact) for artefact in artefacts}


def traps(artefact: Artefact) -> Iterator[str]:
    """Nothing yet: what -p lets pass (a source that is never reached) shows as an effect."""
    yield from ()


def _parse(artefact: Artefact) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="hostmuster-lint-") as folder:
        file = Path(folder) / artefact.name
        file.write_bytes(artefact.content)
        words = [_program() or "chronyd", "-p", "-f", str(file)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    return [_STAMP.sub("", line.replace(f"{folder}/", "")) for line in done.stderr.splitlines() if line]


def _program() -> str | None:
    # Debian keeps it where an ordinary user's PATH does not look.
    return shutil.which("chronyd") or shutil.which("chronyd", path="/usr/sbin:/usr/local/sbin")
