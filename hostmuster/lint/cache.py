"""What parsers said before, since they cost half a second and artefacts seldom change."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from hostmuster.lint.linter import Artefact

MOST = 8000
"""Entries kept; those unused longest go first."""


class Cache:
    """A file an artefact in the user's cache folder, filed under its digest, the parser's version, and how it is asked.

    A cache that cannot be read or written costs time and nothing else.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or _users_own()

    def get(self, grammar: str, version: str, artefact: Artefact) -> Sequence[str] | None:
        """The complaints of then; None when it was never asked."""
        entry = self._entry(grammar, version, artefact)
        try:
            said = json.loads(entry.read_bytes())
            os.utime(entry)
        except (OSError, ValueError):
            return None
        return said if isinstance(said, list) and all(isinstance(line, str) for line in said) else None

    def put(self, grammar: str, version: str, said: Mapping[Artefact, Sequence[str]]) -> None:
        """Files the complaints; each entry appears whole or not at all."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for artefact, lines in said.items():
                entry = self._entry(grammar, version, artefact)
                beside = entry.with_suffix(f".{os.getpid()}")
                beside.write_text(json.dumps(list(lines)))
                beside.replace(entry)
            self._prune()
        except OSError:
            return

    def _entry(self, grammar: str, version: str, artefact: Artefact) -> Path:
        key = f"{grammar}\0{version}\0{_asking()}\0{artefact.digest}"
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"

    def _prune(self) -> None:
        entries = sorted(self._folder.iterdir(), key=lambda entry: entry.stat().st_mtime)
        for entry in entries[: max(len(entries) - MOST, 0)]:
            entry.unlink(missing_ok=True)


@cache
def _asking() -> str:
    """Our own side: a linter that asks in another way, or reads the answer differently, is asked anew."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return " ".join(f"{file.name} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files)


def _users_own() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "hostmuster" / "lint"
