"""tinyproxy's configuration and its filter, served for a moment by a second tinyproxy in a network of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hostmuster.egress.name import MOST_BYTES
from hostmuster.egress.trial import trial
from hostmuster.lint.linter import Artefact, Said
from hostmuster.lint.parser import read_alone, version_of

remedy = "declare plain names under egress, or correct the template"
programs = "tinyproxy, bash and ip, in a namespace of its own"

_FILTER = re.compile(rb"(?m)^Filter .*$")
_USER = re.compile(rb"(?m)^(User|Group) .*$")
# The trial speaks on standard output; here, as with any parser, what is wrong comes on standard error.
_TRIED = 'ip link set lo up && exec bash -c "$0" "$1" "$2" 1>&2'
_BASIC = re.compile(r"(?<!\\)[+?|()]|\\[+?|]")
"""Extended signs, which the filter's basic patterns take for themselves, or that only GNU's library knows."""


def version() -> str | None:
    """tinyproxy's, by its file."""
    return version_of("tinyproxy", "bash", "ip", alone=True)


def parse(artefacts: Sequence[Artefact]) -> Said:
    """A bad pattern ends tinyproxy, a running one too: it must serve with the file."""
    return {artefact: _served(artefact) for artefact in artefacts}


def traps(artefact: Artefact) -> Iterator[str]:
    """What it serves with and yet lets too much or nothing through."""
    lines = artefact.content.decode("utf-8", "replace").splitlines()
    if _is_filter(artefact):
        for number, line in enumerate(lines, 1):
            yield from (f"line {number}: {said}" for said in _odd(line))
        return
    words = {tuple(line.lower().split()[:2]) for line in lines if line.strip() and not line.startswith("#")}
    if ("filterdefaultdeny", "yes") not in words and any(word[0] == "filter" for word in words):
        yield "without FilterDefaultDeny Yes the list names what is refused, and all else passes"
    if not any(word[0] == "connectport" for word in words):
        yield "without ConnectPort every port is open"
    if any(word[:1] in (("filterextended",), ("filtertype",)) for word in words):
        yield "our patterns are basic ones: FilterExtended and FilterType read them differently"


def _odd(line: str) -> Iterator[str]:
    if len(line.encode()) > MOST_BYTES:
        yield f"{len(line.encode())} bytes: from {MOST_BYTES} on it becomes a second pattern"
    if re.search(r"[\s#]", line):
        yield "all behind a blank or a `#` is dropped"
    if not (line.startswith("^") and line.endswith("$")):
        yield f"`{line[:60]}` is not anchored at both ends: it lets longer names through"
    if _BASIC.search(line.replace(r"^\(.*\.\)\{0,1\}", "^")):
        yield f"`{line[:60]}` has signs of extended patterns, and the filter's are basic"


def _is_filter(artefact: Artefact) -> bool:
    return artefact.name.endswith(".filter")


def _served(artefact: Artefact) -> Sequence[str]:
    kind: tuple[str, ...] = trial("filter" if _is_filter(artefact) else "config")
    # The filter that a configuration names is another artefact; its user need not be on this machine.
    content = _USER.sub(b"", _FILTER.sub(b'Filter "/dev/null"', artefact.content))
    heard = read_alone(artefact, "sh", "-c", _TRIED, *kind[2:], content=content)
    return heard.lines if heard.status else ()
