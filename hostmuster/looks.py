"""Which commands of the engine only look, as the command line and the engine both know them."""

from __future__ import annotations

from typing import Final

LOOKS_AT_HOSTS: Final = (
    "check",
    "verify",
    "status",
    "generations",
    "preflight",
    "replacing",
    "references",
    "departure",
    "exposed",
    "host_key",
    "fleet_kind",
    "drill_list",
)
"""The commands whose record tells of what was seen, so that it may be left out where it cannot be kept."""

LOOKS: Final = ("report", *LOOKS_AT_HOSTS)
"""The commands that leave nothing open on a host, however they end. A report is a record itself, and tells of those
before it."""
