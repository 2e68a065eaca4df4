"""Which commands of the engine only look, as the command line and the engine both know them."""

from __future__ import annotations

from typing import Final

LOOKS: Final = (
    "check",
    "verify",
    "report",
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
"""The commands that leave nothing open on a host, however they end."""
