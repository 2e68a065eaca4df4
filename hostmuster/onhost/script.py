"""The on-host script as one text, and the command and input that run it.

The script follows a short loader on stdin instead of standing in argv: sudo writes every argv to the host's
log, and ten kilobytes of it for each command would bury what an operator looks for there.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from functools import cache
from importlib.resources import files

PARTS = ("frame", "state", "change", "switch", "arm", "revert", "main")

# Drops what comes before the marker (a password that sudo did not need), then runs the script if it came whole.
LOADER = (
    'while IFS= read -r l && [ "$l" != "$0" ]; do :; done; read -r n d && s=$(head -c "$n") && '
    '[ "$(printf %s "$s" | sha256sum)" = "$d  -" ] && eval "$s"'
)


def source() -> str:
    """The whole script, its parts joined, as it is linted."""
    parts = (files(__package__).joinpath(f"{part}.sh").read_text("utf-8") for part in PARTS)
    return "\n".join(part.removeprefix("# shellcheck shell=sh\n") for part in parts)


@cache
def text() -> str:
    """The whole script as it travels, without its comment lines."""
    return _bare(source())


@cache
def content_text() -> str:
    """The script of the content channel as it travels."""
    return _bare(files(__package__).joinpath("content.sh").read_text("utf-8"))


@cache
def drain_text() -> str:
    """The script by which an ingress host takes a server out and puts it back, as it travels."""
    return _bare(files(__package__).joinpath("drain.sh").read_text("utf-8"))


def encoded() -> str:
    """The script in base64, as an armed change stores it on the host."""
    return base64.b64encode(text().encode()).decode()


def marker() -> str:
    """A line that ends what comes before the script; never a password anybody has."""
    return f"hostmuster-{secrets.token_hex(8)}"


def command(mark: str, *, sudo: bool = True, password: bool = False) -> str:
    """The shell command for an SSH exec: of an ordinary user with sudo, or of root at first contact.

    `password`: sudo may read one from standard input; else it must need none, and takes nothing of ours for one.
    """
    asking = "-S -p '' " if password else "-n "
    return f"{f'sudo {asking}' if sudo else ''}sh -c '{LOADER}' {mark}"


def stdin(mark: str, program: str, password: str | None = None) -> str:
    """What goes to the command's standard input: password line, marker, script, program with length and digest."""
    return opening(mark, text(), password) + _framed(program)


def opening(mark: str, body: str, password: str | None = None) -> str:
    """What has the command run another script than the usual one; that reads whatever follows."""
    password_line = f"{password}\n" if password is not None else ""
    return f"{password_line}{mark}\n{_framed(body)}"


def _framed(body: str) -> str:
    raw = body.encode()
    return f"{len(raw)} {hashlib.sha256(raw).hexdigest()}\n{body}"


def _bare(body: str) -> str:
    return "\n".join(line for line in body.splitlines() if line.strip() and not line.lstrip().startswith("#"))
