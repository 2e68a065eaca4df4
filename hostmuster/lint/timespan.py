"""Durations as systemd writes them (systemd.time(7))."""

from __future__ import annotations

import re

_UNITS = {
    1e-6: ("usec", "us", "μs"),
    1e-3: ("msec", "ms"),
    1.0: ("", "seconds", "second", "sec", "s"),
    60.0: ("minutes", "minute", "min", "m"),
    3600.0: ("hours", "hour", "hr", "h"),
    86400.0: ("days", "day", "d"),
    604800.0: ("weeks", "week", "w"),
    2629800.0: ("months", "month", "M"),
    31557600.0: ("years", "year", "y"),
}
_FACTOR = {word: factor for factor, words in _UNITS.items() for word in words}
_PART = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-zμ]*)")


def seconds(text: str) -> float | None:
    """A duration in seconds; None for what is none, infinity for `infinity` and for 0, which systemd takes for it."""
    if text.strip() in ("infinity", "0"):
        return float("inf")
    total, at = 0.0, 0
    while found := _PART.match(text, at):
        if found[2] not in _FACTOR:
            return None
        total, at = total + float(found[1]) * _FACTOR[found[2]], found.end()
    return total if at and not text[at:].strip() else None


def odd(text: str) -> str | None:
    """Why a duration that systemd takes is hardly the one that was meant."""
    if re.search(r"\d\s*M\b", text):
        return "M is months; minutes are `m` or `min`"
    if re.search(r"[a-z]\s*\d+\s*$", text):
        return "the last number has no unit and counts as seconds: write its unit"
    return None
