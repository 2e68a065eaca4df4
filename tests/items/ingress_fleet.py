"""A fleet without hosts whose ingress hosts share a virtual IP, behind them a server."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hostmuster.model.fleet import Fleet
from tests.items.project import loaded

NAMES = ("ingress-1", "ingress-2", "ingress-3")
V6 = {name: f"2001:db8::{at}" for at, name in enumerate(NAMES, 1)}
DECLARED: Mapping[str, Any] = {
    "interface": "eth0",
    "addresses": ["192.0.2.100/24", "2001:db8::100/64"],
    "v6": V6,
    "health": "http://127.0.0.1/",
}


def fleet(folder: Path, names: tuple[str, ...] = NAMES[:2], own: Mapping[str, Any] | None = None, **more: Any) -> Fleet:
    """A fleet of ingress hosts behind a server; `own`: what the last of them declares for itself alone."""
    hosts: dict[str, Any] = {"server-1": {"address": "192.0.2.50", "debian": 12, "roles": ["server"]}}
    for at, name in enumerate(names, 1):
        hosts[name] = {"address": f"192.0.2.{at}", "debian": 12, "roles": ["ingress"]}
    hosts[names[-1]]["settings"] = {"virtual_ip": dict(own)} if own else {}
    body = {
        "fleet": "unit",
        "lab": False,
        "settings": {"clock": {"servers": ["192.0.2.1"]}, "firewall": {}},
        "roles": {"server": {}, "ingress": {"settings": {"virtual_ip": {**DECLARED, **more}}}},
        "hosts": hosts,
    }
    return loaded(folder, body)
