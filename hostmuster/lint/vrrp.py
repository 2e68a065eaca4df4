"""The few words of keepalived.conf(5) that our rules compare: its vrrp_script and vrrp_instance blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_WORD = re.compile(r'"[^"\n]*"|[{}]|[^\s{}]+')


@dataclass(frozen=True)
class Instance:
    """One vrrp_instance. `tracks` names scripts; `password` stands as it is written; weights are the scripts' own."""

    name: str
    interface: str
    router: int
    priority: int
    nopreempt: bool
    source: str | None
    peers: tuple[str, ...]
    password: str | None
    addresses: tuple[str, ...]
    tracks: tuple[str, ...]

    @property
    def family(self) -> int:
        """4 or 6, by the first address; each family has its own VRIDs (RFC 5798, 5.2.3)."""
        return 6 if ":" in next(iter(self.addresses), "") else 4


Lines = list[list[str]]


def scripts(text: str) -> Mapping[str, int | None]:
    """Each vrrp_script with its weight; None: none, so that a failure is a fault of its own."""
    weights: dict[str, int | None] = {}
    for name, lines in _blocks(text, "vrrp_script"):
        weights[name] = _number(lines, "weight")
    return weights


def instances(text: str) -> Iterator[Instance]:
    """Each vrrp_instance; what it does not say is 100 and 0, as with keepalived."""
    for name, lines in _blocks(text, "vrrp_instance"):
        yield Instance(
            name,
            _first(lines, "interface") or "",
            _number(lines, "virtual_router_id") or 0,
            _number(lines, "priority") or 100,
            ["nopreempt"] in lines,
            _first(lines, "unicast_src_ip"),
            tuple(line[0] for line in _inner(lines, "unicast_peer")),
            next((line[1] for line in lines if line[0] == "auth_pass" and len(line) > 1), None),
            tuple(line[0] for line in _inner(lines, "virtual_ipaddress")),
            tuple(line[0] for line in _inner(lines, "track_script")),
        )


def _blocks(text: str, kind: str) -> Iterator[tuple[str, Lines]]:
    lines = [words for line in text.splitlines() if (words := _words(line))]
    for at, words in enumerate(lines):
        if words[0] == kind and len(words) > 1:
            yield words[1], _body(lines[at + 1 :] if "{" in words else lines[at + 2 :])


def _body(lines: Lines) -> Lines:
    """The lines up to the brace that closes the block."""
    depth, body = 1, []
    for words in lines:
        depth += words.count("{") - words.count("}")
        if depth < 1:
            break
        body.append(words)
    return body


def _inner(lines: Lines, word: str) -> Lines:
    """The lines of a block inside a block."""
    at = next((number for number, words in enumerate(lines) if words[0] == word), None)
    return _body(lines[at + 1 :]) if at is not None else []


def _first(lines: Lines, word: str) -> str | None:
    return next((words[1] for words in lines if words[0] == word and len(words) > 1), None)


def _number(lines: Lines, word: str) -> int | None:
    """What is no number, keepalived itself complains about."""
    said = _first(lines, word) or ""
    return int(said) if re.fullmatch(r"[-+]?[0-9]{1,9}", said) else None


def _words(line: str) -> list[str]:
    """A line's words; a comment begins with `#` or `!` at the begin of a word. auth_pass keeps its rest."""
    if re.match(r"\s*auth_pass\s", line):
        return line.split(maxsplit=1)
    words = _WORD.findall(line)
    begun = next((at for at, word in enumerate(words) if word[0] in "#!"), len(words))
    return words[:begun]
