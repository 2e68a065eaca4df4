"""The git revision a project stands at, and whether it is older than what a host was last made by."""

from __future__ import annotations

import subprocess
from functools import cached_property
from pathlib import Path

from hostmuster.errors import Refused

DIRTY = "+"
"""Behind a revision: files of the project differed from it, or were not in it at all."""


class Source:
    """The project's git history. git is asked at once and heard when the answer is needed: hosts are slower.

    Raises Refused where there is no git, so it is made before anything is touched.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._asked = self._ask("rev-parse", "--short=12", "HEAD")
        self._changed = self._ask("status", "--porcelain", "--", ".")

    @cached_property
    def revision(self) -> str | None:
        """The commit that the tree stands at, in twelve digits, with DIRTY where it differs; None outside git."""
        return self.commit and self.commit + (DIRTY if _heard(self._changed) else "")

    @cached_property
    def commit(self) -> str | None:
        """The commit alone."""
        return _heard(self._asked)

    def require_not_older(self, host: str, applied: str) -> None:
        """Raises Refused when the host was made by a revision this tree does not contain (DESIGN.md, Operators)."""
        by = applied.removesuffix(DIRTY)
        if not by or self.commit is None or by == self.commit:
            return
        if _heard(self._ask("merge-base", "--is-ancestor", by, "HEAD")) is None:
            raise Refused(
                f"it was last made by revision {applied}, which this tree ({self.commit}) does not contain",
                where=host,
                remedy="pull and merge first: an older tree would take back what a newer one did",
            )

    def _ask(self, *arguments: str) -> subprocess.Popen[str]:
        quiet = subprocess.DEVNULL
        words = ["git", "--no-optional-locks", "-C", str(self._root), *arguments]
        try:
            return subprocess.Popen(words, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, text=True)
        except FileNotFoundError as error:
            remedy = "install it: by its revisions an older tree is told from a newer one"
            raise Refused("git is not installed", remedy=remedy) from error


def _heard(asked: subprocess.Popen[str]) -> str | None:
    said, _ = asked.communicate()
    return said.strip() if asked.returncode == 0 else None
