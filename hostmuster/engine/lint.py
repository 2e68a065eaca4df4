"""The compile stage's last look: every artefact with a grammar through the consumer's real parser."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from hostmuster.engine.expansion import named
from hostmuster.errors import Problem
from hostmuster.lint import (
    apparmor,
    chrony,
    environment,
    haproxy,
    iptables,
    keepalived,
    nginx,
    shell,
    ssh,
    ssh_keys,
    sshd,
    sudoers,
    systemd,
    tinyproxy,
)
from hostmuster.lint.cache import Cache
from hostmuster.lint.linter import Artefact, Linter
from hostmuster.resources.file import File, Grammar

LINTERS: Mapping[Grammar, Linter] = {
    "systemd-unit": systemd,
    "systemd-environment": environment,
    "chrony": chrony,
    "iptables": iptables,
    "tinyproxy": tinyproxy,
    "sshd": sshd,
    "ssh": ssh,
    "ssh-keys": ssh_keys,
    "sudoers": sudoers,
    "shell": shell,
    "nginx": nginx,
    "haproxy": haproxy,
    "keepalived": keepalived,
    "apparmor-12": apparmor.Profiles(12),
    "apparmor-13": apparmor.Profiles(13),
}
BETWEEN: Mapping[Grammar, Callable[[Mapping[str, Artefact]], Iterator[tuple[str, str]]]] = {
    "keepalived": keepalived.between,
}
"""What only several hosts' artefacts together can have wrong: by host, what is said of its own."""

Place = tuple[str, str]
"""Host and item."""
Declared = Iterable[tuple[str, str, File]]
"""Files with a host and an item each."""


def lint(declared: Declared, cache: Cache | None = None) -> Iterator[Problem]:
    """What is wrong with the artefacts, each mistake once with the hosts it would hit."""
    for grammar, artefacts in _by_grammar(declared).items():
        linter = LINTERS[grammar]
        parsed = _parsed(grammar, linter, list(artefacts), cache or Cache())
        for artefact, places in artefacts.items():
            where = f"{named(host for host, _ in places)}, {places[0][1]}, {artefact.path}"
            for message in dict.fromkeys([*parsed.get(artefact, ()), *linter.traps(artefact)]):
                yield Problem(where, message, linter.remedy)
        if grammar in BETWEEN:
            of_host = {host: artefact for artefact, places in artefacts.items() for host, _ in places}
            for host, message in BETWEEN[grammar](of_host):
                yield Problem(f"{host}, {artefacts[of_host[host]][0][1]}, {of_host[host].path}", message, linter.remedy)


def not_parsed(declared: Declared) -> Iterator[str]:
    """NOT_RUN: artefacts whose parser is not on this machine, so that our own rules alone have spoken."""
    silent: dict[Grammar, dict[str, bool]] = {}
    for _, _, file in declared:
        if file.lint is not None:
            silent.setdefault(file.lint, {})[file.path.rpartition("/")[2]] = bool(file.validate)
    for grammar, names in silent.items():
        if LINTERS[grammar].version() is None:
            later = (
                "each host's own reads it before the switch"
                if all(names.values())
                else "and hosts do not check all of it"
            )
            yield f"not run here: the parser of {', '.join(names)} (it needs {LINTERS[grammar].programs}); {later}"


def _by_grammar(declared: Declared) -> dict[Grammar, dict[Artefact, list[Place]]]:
    found: dict[Grammar, dict[Artefact, list[Place]]] = {}
    for host, item, file in declared:
        if file.lint is not None:
            places = found.setdefault(file.lint, {}).setdefault(Artefact(file.path, file.content), [])
            places.append((host, item))
    return found


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
