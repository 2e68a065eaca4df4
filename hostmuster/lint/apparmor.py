"""AppArmor profiles (apparmor.d(5)): compiled by the parser of the host's own Debian release; rules of our own.

A profile that the parser of Debian 13 takes may be refused by Debian 12's, and by another release's nothing is judged:
there the host's own parser decides before the switch (`validate`).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from hostmuster.lint.linter import Artefact, Said
from hostmuster.lint.parser import read, version_of

FOLDER = Path("/etc/apparmor.d")
PARSERS = {12: "3.0", 13: "4.1"}
"""apparmor_parser of each Debian release."""

_SAID = re.compile(r"^AppArmor parser error for \S+ (?:in (?:profile )?(\S+) )?at line (\d+): ")
_HEADER = re.compile(
    r'^(?:profile\s+(?P<name>"[^"]+"|[^\s{]+))?\s*(?P<path>"?[/@][^\s]*)?\s*(?P<flags>(?:flags\s*=\s*)?\([^)]*\))?\s*\{$'
)
_LINKED = ("/bin/", "/sbin/", "/lib/", "/lib64/")

_ABSTRACTIONS = (
    "devices-usb devices-usb-read groff nameservice-strict qt6 qt6-compose-cache-write qt6-settings-write terminfo "
    "transmission-common trash"
)
_FLAGS = r"default_allow|prompt|interruptible|error|kill\.signal|attach_disconnected\.path"
_SINCE_13 = (
    (re.compile(r"^abi\s+<abi/[4-9]"), "this ABI"),
    (re.compile(r"^((allow|deny|audit)\s+)*(userns|io_uring|mqueue|all)\b[^/]*,"), "this rule"),
    (re.compile(r"^priority\s*="), "priorities"),
    (re.compile(rf"\bflags\s*=\s*\([^)]*\b({_FLAGS})\b"), "this flag"),
    (re.compile(rf"<abstractions/({_ABSTRACTIONS.replace(' ', '|')})>"), "this abstraction"),
)
"""What Debian 13 knows and Debian 12 does not: the packages' own lists, compared."""


class Profiles:
    """The grammar as one Debian release reads it."""

    remedy = "correct the profile; see apparmor.d(5) of the host's Debian release"

    def __init__(self, debian: int) -> None:
        self._debian = debian
        self.programs = f"apparmor_parser {PARSERS[debian]} (that of Debian {debian})"

    def version(self) -> str | None:
        """The parser by its file, and what it includes. None for a parser of another release."""
        program = version_of("apparmor_parser")
        if program is None or not FOLDER.is_dir():
            return None
        said = subprocess.run(
            [program.split()[0], "--version"], capture_output=True, text=True, check=False, env={"LC_ALL": "C"}
        ).stdout
        if f"version {PARSERS[self._debian]}." not in said:
            return None
        included = max(path.stat().st_mtime_ns for path in [FOLDER, *FOLDER.glob("*/"), *FOLDER.glob("*/*.d/")])
        return f"{program} {included}"

    def parse(self, artefacts: Sequence[Artefact]) -> Said:
        """One compilation an artefact, loaded nowhere and kept nowhere: some 50 milliseconds each."""
        return {artefact: _compile(artefact) for artefact in artefacts}

    def traps(self, artefact: Artefact) -> Iterator[str]:
        """What compiles and is yet never meant; and what only a later release compiles."""
        lines = list(_lines(artefact))
        defined = [header for header in _headers(lines) if header["name"] or header["path"]]
        names = [(header["name"] or header["path"] or "").strip('"') for header in defined]
        if names != [artefact.name]:
            yield f"it defines {', '.join(names) or 'no profile'}: it must be {artefact.name}, as the file is called"
        for header in defined:
            yield from _odd(header)
        if self._debian == 12:
            for number, line in lines:
                yield from (
                    f"line {number}: Debian 12 does not know {what}" for old, what in _SINCE_13 if old.search(line)
                )


def _compile(artefact: Artefact) -> list[str]:
    heard = read(artefact, "apparmor_parser", "--skip-kernel-load", "--skip-cache", "--quiet")
    said = [line for line in heard.lines if not line.startswith("Cache read/write disabled")]
    return [_short(line, artefact.name) for line in said] if heard.status else []


def _short(line: str, name: str) -> str:
    found = _SAID.match(line)
    if found is None:
        return line
    place = f"line {found[2]}" if found[1] in (None, name) else f"{found[1]}, line {found[2]}"
    return f"{place}: {line[found.end() :]}"


def _lines(artefact: Artefact) -> Iterator[tuple[int, str]]:
    """The lines without comments; `#include` is none."""
    for number, line in enumerate(artefact.content.decode("utf-8", "replace").splitlines(), 1):
        bare = re.sub(r"(^|\s)#(?!include\b).*", "", line).strip()
        if bare:
            yield number, bare


def _headers(lines: Sequence[tuple[int, str]]) -> Iterator[dict[str, str | None]]:
    """What opens a block outside of any other."""
    depth = 0
    for _, line in lines:
        if line.endswith("{"):
            if depth == 0 and (found := _HEADER.match(line)):
                yield found.groupdict()
            depth += 1
        elif line.startswith("}"):
            depth -= 1


def _odd(header: dict[str, str | None]) -> Iterator[str]:
    flags = re.findall(r"[\w.]+", (header["flags"] or "").removeprefix("flags"))
    for flag in {"complain", "unconfined", "default_allow"} & {*flags}:
        yield f"flags=({flag}) refuses nothing: leave it out, and declare `enforcing: false` where that is meant"
    if header["path"] and header["path"].strip('"').startswith(_LINKED):
        path = header["path"].strip('"')
        yield f"{path} is never run: /{path.split('/')[1]} is a link to /usr/{path.split('/')[1]} since Debian 12"
