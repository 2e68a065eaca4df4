"""The script by which a host is asked for its engine and images, and by which images come into it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

CONTENT = "/var/cache/hostmuster-content"
"""Where archives lie on a host until they are loaded; its service user may read there, for the other hosts."""


@cache
def text() -> str:
    """The script as it travels, without its comment lines."""
    return f"{_part('trouble')}\n{_part('engine')}"


def guarded(body: str) -> str:
    """A script that is run only where dockerd may be asked; else it fails with a line that is no answer to it."""
    return f"{_part('trouble')}\nup || {{ echo 'engine: does not answer'; exit 1; }}\n{body}"


def _part(name: str) -> str:
    lines = files("hostmuster.images").joinpath(f"{name}.sh").read_text("utf-8").splitlines()
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def command(*words: str, name: str = "images") -> tuple[str, ...]:
    """The command that runs one of its verbs as root. A `name` of several words is what a plan says it does."""
    return ("sh", "-c", text(), name, *words)
