"""The git revision a project stands at, and whether it is older than what a host was last made by."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hostmuster.errors import Refused


class Source:
    """The project's git history; `revision` is None outside git."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.revision = self._git("rev-parse", "--short=12", "HEAD")

    def require_not_older(self, host: str, applied: str) -> None:
        """Raises Refused when the host was made by a revision this tree does not contain (DESIGN.md, Operators)."""
        if not applied or self.revision is None or applied == self.revision:
            return
        if self._git("merge-base", "--is-ancestor", applied, "HEAD") is None:
            raise Refused(
                f"it was last made by revision {applied}, which this tree ({self.revision}) does not contain",
                where=host,
                remedy="pull and merge first: an older tree would take back what a newer one did",
            )

    def _git(self, *arguments: str) -> str | None:
        done = subprocess.run(["git", "-C", str(self._root), *arguments], capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else None
