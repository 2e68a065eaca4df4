"""Lists of public keys (authorized_keys of sshd(8), known_hosts), read by `ssh-keygen -l`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hostmuster.lint.linter import Artefact, Said
from hostmuster.lint.parser import read, version_of

remedy = "set the key in the store again; it has one line"
programs = "ssh-keygen"

_COUNT = 'ssh-keygen -l -f "$1" | grep -c . >&2'


def version() -> str | None:
    """ssh-keygen's, by its file."""
    return version_of("ssh-keygen")


def parse(artefacts: Sequence[Artefact]) -> Said:
    """A line that is no key is skipped in silence by its readers: so the keys are counted."""
    return {artefact: _uncounted(artefact) for artefact in artefacts}


def traps(artefact: Artefact) -> Iterator[str]:
    """None known."""
    yield from ()


def _uncounted(artefact: Artefact) -> list[str]:
    lines = [line for line in artefact.content.splitlines() if line.strip() and not line.lstrip().startswith(b"#")]
    *said, counted = read(artefact, "sh", "-c", _COUNT, "sh").lines or ("0",)
    return [] if int(counted) == len(lines) else [f"{counted} of {len(lines)} lines are keys", *said]
