"""What is about to be committed: the files of git's index that differ from the last commit."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hostmuster.errors import Refused

_SUBMODULE = "160000"


@dataclass(frozen=True)
class Staged:
    """One file as it would be committed. `path` is relative to the top of the work tree."""

    path: str
    content: bytes

    @property
    def text(self) -> str:
        """All of it, bytes that are no text included; UTF-16 where it says so itself."""
        if self.content.startswith((b"\xff\xfe", b"\xfe\xff")):
            return self.content.decode("utf-16", "replace")
        return self.content.decode("utf-8", "surrogateescape")


def top_of(folder: Path) -> Path:
    """The top of the work tree. Raises Refused where the folder is in none."""
    return Path(_git(folder, "rev-parse", "--show-toplevel").decode().rstrip("\n"))


def staged(top: Path) -> Iterator[Staged]:
    """Every file that is added or changed. A hook's own index counts, as in `git commit --only`."""
    fields = _git(top, "diff", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev").split(b"\0")
    for what, path in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, digest, status = what.decode().split(" ")
        if status != "D" and mode != _SUBMODULE:
            yield Staged(path.decode("utf-8", "surrogateescape"), _git(top, "cat-file", "blob", digest))


def _git(folder: Path, *argv: str) -> bytes:
    try:
        answer = subprocess.run(["git", *argv], cwd=folder, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise Refused("git is not installed", remedy="the check reads what git is about to commit") from error
    if answer.returncode != 0:
        said = answer.stderr.decode(errors="replace").strip().splitlines()
        raise Refused(f"git {argv[0]}: {said[-1] if said else 'failed'}", where=str(folder))
    return answer.stdout
