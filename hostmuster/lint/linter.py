"""What checks one grammar."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Artefact:
    """A file as a host will get it. The path counts: a unit's name is part of what it says."""

    path: str
    content: bytes

    @property
    def name(self) -> str:
        """The path's last part."""
        return self.path.rpartition("/")[2]

    @property
    def digest(self) -> str:
        """The same for the same path and content only."""
        return hashlib.sha256(self.path.encode() + b"\0" + self.content).hexdigest()


Said = Mapping[Artefact, Sequence[str]]
"""Complaints by artefact, each one line; an artefact without any is good."""


class Linter(Protocol):
    """One grammar."""

    remedy: str
    programs: str
    """What it needs on this machine, in words."""

    def version(self) -> str | None:
        """The consumer's parser on this machine; None where there is none, and the host's own decides (`validate`)."""

    def parse(self, artefacts: Sequence[Artefact]) -> Said:
        """What that parser says. Raises Refused when it cannot be run."""

    def traps(self, artefact: Artefact) -> Iterator[str]:
        """What the parser takes without a word and that is yet never meant."""
