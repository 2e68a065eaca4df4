"""Files of /etc/sudoers.d (sudoers(5)), read by `visudo -c`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hostmuster.lint.linter import Artefact, Said
from hostmuster.lint.parser import read, version_of

remedy = "correct it: with one wrong line sudo refuses everybody"
programs = "visudo"


def version() -> str | None:
    """visudo's, by its file."""
    return version_of("visudo")


def parse(artefacts: Sequence[Artefact]) -> Said:
    """One call an artefact. Warnings (an unused alias) are said as well."""
    return {artefact: read(artefact, "visudo", "-cf").lines for artefact in artefacts}


def traps(artefact: Artefact) -> Iterator[str]:
    """What sudo skips without a word."""
    if "." in artefact.name or artefact.name.endswith("~"):
        yield f"sudo does not read {artefact.name}: names in sudoers.d have no dot and no `~` at their end"
