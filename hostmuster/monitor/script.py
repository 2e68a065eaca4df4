"""The monitor's one script, its parts joined."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

PARTS = ("frame", "services", "machine", "peers", "ledger", "telling", "alerts", "main")


@cache
def source() -> str:
    """The whole script, as it is linted and as hosts get it."""
    parts = (files(__package__).joinpath(f"{part}.sh").read_text("utf-8") for part in PARTS)
    return "\n".join(["#!/bin/sh", *(part.removeprefix("# shellcheck shell=sh\n") for part in parts)])
