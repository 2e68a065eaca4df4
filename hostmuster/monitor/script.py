"""The monitor's one script, its parts joined, and before them the one that says why an engine does not answer."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

PARTS = ("frame", "services", "machine", "peers", "ledger", "telling", "alerts", "main")


@cache
def source() -> str:
    """The whole script, as it is linted and as hosts get it."""
    own = (files(__package__).joinpath(f"{part}.sh") for part in PARTS)
    parts = (part.read_text("utf-8") for part in (files("hostmuster.images").joinpath("trouble.sh"), *own))
    return "\n".join(["#!/bin/sh", *(part.removeprefix("# shellcheck shell=sh\n") for part in parts)])
