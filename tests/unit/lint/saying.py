"""All that is said of an artefact: by its parser, which has to be on this machine, and by our own rules."""

from __future__ import annotations

from hostmuster.engine.lint import LINTERS
from hostmuster.lint.linter import Artefact
from hostmuster.resources.file import Grammar


def said(grammar: Grammar, path: str, content: str | bytes) -> list[str]:
    """Each complaint; empty where it is good."""
    linter = LINTERS[grammar]
    assert linter.version() is not None, f"{linter.programs} is missing: see .ci/apt-packages"
    artefact = Artefact(path, content.encode() if isinstance(content, str) else content)
    return [*linter.parse([artefact])[artefact], *linter.traps(artefact)]
