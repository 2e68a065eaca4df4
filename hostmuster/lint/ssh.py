"""What ssh itself reads: ssh_config(5) by `ssh -G`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hostmuster.lint.linter import Artefact, Said
from hostmuster.lint.parser import read, version_of

remedy = "correct the template: with a line that it cannot read, no ssh of the host starts"
programs = "ssh"


def version() -> str | None:
    """ssh's, by its file."""
    return version_of("ssh")


def parse(artefacts: Sequence[Artefact]) -> Said:
    """One call an artefact; no connection is made."""
    return {artefact: read(artefact, "ssh", "-T", "-G", "anyhost", "-F").lines for artefact in artefacts}


def traps(artefact: Artefact) -> Iterator[str]:
    """None known."""
    yield from ()
