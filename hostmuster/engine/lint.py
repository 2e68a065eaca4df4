"""The compile stage's last look: every artefact with a grammar through the consumer's real parser."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from hostmuster.engine.expansion import named
from hostmuster.errors import Problem
from hostmuster.lint import chrony, iptables, systemd
from hostmuster.lint.cache import Cache
from hostmuster.lint.linter import Artefact, Linter
from hostmuster.resources.file import File, Grammar

LINTERS: Mapping[Grammar, Linter] = {"systemd-unit": systemd, "chrony": chrony, "iptables": iptables}

Place = tuple[str, str]
"""Host and item."""


def lint(declared: Iterable[tuple[str, str, File]], cache: Cache | None = None) -> Iterator[Problem]:
    """What is wrong with the artefacts of (host, item, file), each mistake once with the hosts it would hit."""
    found: dict[Grammar, dict[Artefact, list[Place]]] = {}
    for host, item, file in declared:
        if file.lint is not None:
            places = found.setdefault(file.lint, {}).setdefault(Artefact(file.path, file.content), [])
            places.append((host, item))
    for grammar, artefacts in found.items():
        linter = LINTERS[grammar]
        parsed = _parsed(grammar, linter, list(artefacts), cache or Cache())
        for artefact, places in artefacts.items():
            where = f"{named(host for host, _ in places)}, {places[0][1]}, {artefact.path}"
            for message in dict.fromkeys([*parsed.get(artefact, ()), *linter.traps(artefact)]):
                yield Problem(where, message, linter.remedy)


def _parsed(
    grammar: Grammar, linter: Linter, artefacts: Sequence[Artefact], cache: Cache
) -> Mapping[Artefact, Sequence[str]]:
    version = linter.version()
    if version is None:
        return {}
    known = {artefact: cache.get(grammar, version, artefact) for artefact in artefacts}
    said = {artefact: lines for artefact, lines in known.items() if lines is not None}
    fresh = [artefact for artefact in artefacts if artefact not in said]
    if fresh:
        new = linter.parse(fresh)
        cache.put(grammar, version, new)
        said |= new
    return said
