"""chrony's configuration (chrony.conf(5)), checked by `chronyd -p`."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence

from hostmuster.lint.linter import Artefact, Said
from hostmuster.lint.parser import read, version_of

remedy = "correct the template; comments need a line of their own, and no byte order mark"
programs = "chronyd"

_STAMP = re.compile(r"^\S+Z (Fatal error : )?")


def version() -> str | None:
    """chronyd's, by its file."""
    return version_of("chronyd")


def parse(artefacts: Sequence[Artefact]) -> Said:
    """One call an artefact: a few milliseconds each."""
    return {artefact: _parse(artefact) for artefact in artefacts}


def traps(artefact: Artefact) -> Iterator[str]:
    """Networks and counts, which -p does not look at; that a source is never reached shows as an effect."""
    lines = [line.split() for line in artefact.content.decode("utf-8", "replace").splitlines() if line.strip()]
    sources = sum(line[0] in ("server", "pool", "peer") for line in lines)
    for words in lines:
        if words[0] in ("allow", "deny") and len(words) > 1 and words[-1] != "all" and not _is_network(words[-1]):
            yield f"`{' '.join(words)}` names no network"
        if words[0] == "minsources" and len(words) > 1 and words[1].isdecimal() and 0 < sources < int(words[1]):
            yield f"minsources {words[1]} with {sources} sources: the clock is never set"


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True


def _parse(artefact: Artefact) -> list[str]:
    heard = read(artefact, "chronyd", "-p", "-f")
    return [_STAMP.sub("", line) for line in heard.lines] if heard.status else []
