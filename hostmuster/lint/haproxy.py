"""HAProxy's configuration (Debian's haproxy, configuration.txt), read by `haproxy -c`; our own rules too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hostmuster.lint.linter import Artefact, Said
from hostmuster.lint.parser import read_alone, version_of

remedy = "correct the template"
programs = "haproxy, in a namespace of its own"

_STAMP = re.compile(r"^\[(?:ALERT|WARNING|NOTICE)\]\s*\(\d+\) : ")
_CONFIG = re.compile(r"^config : ")
_NOISE = re.compile(
    r"haproxy version is|path to executable is|Fatal errors found in configuration|Error\(s\) found in configuration"
)
_ONLY_THE_HOST_HAS = re.compile(r"No such file or directory|unable to (stat|load) SSL certificate|cannot open the file")
_ADDRESS = re.compile(r"(unix@|ipv4@|\d{1,3}(\.\d{1,3}){3}(:\d+)?$|\[[0-9a-fA-F:]+\](:\d+)?$|/)")
_AFTER_SENDING = {"all-retryable-errors", "response-timeout", "empty-response", "junk-response", "0rtt-rejected"}
"""Words of retry-on that send a request once more though a server may have taken it (and any status)."""

Lines = list[list[str]]


def version() -> str | None:
    """haproxy's, by its file."""
    return version_of("haproxy", alone=True)


def parse(artefacts: Sequence[Artefact]) -> Said:
    """One call an artefact. A warning counts as well: what HAProxy starts with in spite of it is not what was meant."""
    return {artefact: _tested(artefact) for artefact in artefacts}


def traps(artefact: Artefact) -> Iterator[str]:
    """What passes `-c` here and fails at boot, leaves a dead server in, or does a thing twice."""
    sections = list(_sections(artefact.content.decode("utf-8", "replace")))
    defaults = [line for name, lines in sections if name.startswith("defaults") for line in lines]
    for name, lines in sections:
        if name.startswith(("backend ", "listen ")):
            yield from (f"{name}: {said}" for said in _backend(lines, [*defaults, *lines]))
        for line in lines:
            if line[:2] == ["stats", "socket"] and _opens_to_all(line):
                yield f"{name}: whoever is on the host may use the admin socket: mode 600"


def _backend(own: Lines, lines: Lines) -> Iterator[str]:
    servers = [line for line in own if line[0] == "server" and len(line) > 2]
    checked_by_default = any(line[0] == "default-server" and "check" in line for line in lines)
    for line in servers:
        if not _ADDRESS.match(line[2]):
            yield f"server {line[1]}: {line[2]} is a name; one that does not resolve stops all of HAProxy"
        checked = "no-check" not in line and ("check" in line or checked_by_default)
        if not checked and "backup" not in line:
            yield f"server {line[1]} is not checked: dead, it goes on getting requests"
    again = [line for line in own if line[0] == "retry-on"]
    after_sending = any(_AFTER_SENDING & {*line} or any(word.isdigit() for word in line) for line in again)
    if after_sending and not any(line[:2] == ["http-request", "disable-l7-retry"] for line in own):
        yield "retry-on without http-request disable-l7-retry sends a POST twice"
    expects = any(line[:2] == ["http-check", "expect"] for line in lines)
    if expects and not any(line[:2] == ["option", "httpchk"] for line in lines):
        yield "http-check without option httpchk: a connection alone counts as healthy"
    if servers and not any(line[:2] == ["option", "redispatch"] for line in lines):
        yield "without option redispatch a dead server is tried until all tries are used up"


def _opens_to_all(line: list[str]) -> bool:
    mode = line[line.index("mode") + 1] if "mode" in line[:-1] else "600"
    return mode[-1] != "0"


def _sections(text: str) -> Iterator[tuple[str, Lines]]:
    """Each section's head and its lines in words, comments left out."""
    head, lines = "", Lines()
    for line in text.splitlines():
        words = re.sub(r"(^|\s)#.*$", "", line).split()
        if not words:
            continue
        if line[:1].isspace():
            lines.append(words)
            continue
        if head:
            yield head, lines
        head, lines = " ".join(words), []
    if head:
        yield head, lines


def _tested(artefact: Artefact) -> list[str]:
    heard = read_alone(artefact, "haproxy", "-c", "-f")
    said = (_CONFIG.sub("", _STAMP.sub("", line)) for line in heard.lines)
    lines = [line for line in said if not _NOISE.search(line) and not _ONLY_THE_HOST_HAS.search(line)]
    return lines or ([] if heard.status in (0, 2) else [f"exit {heard.status}"])
