"""`docker run --env-file`: a line is taken as it stands; there is no quoting, so some values cannot be carried."""

from __future__ import annotations

LONGEST_LINE = 64 * 1024 - 1
"""Bytes of a line its reader takes (Go's bufio.MaxScanTokenSize)."""


def refuses(name: str, value: str) -> str | None:
    """Line breaks end the variable; a longer line ends the reading."""
    if "\n" in value or "\r" in value:
        return "holds a line break, for which docker has no quoting: mount a file instead, or give it in base64"
    if len(f"{name}={value}".encode()) >= LONGEST_LINE:
        return f"has {len(value.encode())} bytes, and docker reads lines below {LONGEST_LINE}: mount a file instead"
    return None


def line(name: str, value: str) -> str:
    """Never quoted: quotes would become part of the value."""
    return f"{name}={value}\n"
