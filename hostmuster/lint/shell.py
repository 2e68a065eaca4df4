"""Shell scripts, and what a shell reads with `.`: by `sh -n`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hostmuster.lint.linter import Artefact, Said
from hostmuster.lint.parser import read, version_of

remedy = "correct the template"
programs = "sh"


def version() -> str | None:
    """That of this machine's sh, by its file."""
    return version_of("sh")


def parse(artefacts: Sequence[Artefact]) -> Said:
    """Nothing of it is run."""
    return {artefact: read(artefact, "sh", "-n").lines for artefact in artefacts}


def traps(artefact: Artefact) -> Iterator[str]:
    """A carriage return ends up in names and values."""
    if b"\r\n" in artefact.content:
        yield "CRLF line ends: a shell keeps the carriage return"
