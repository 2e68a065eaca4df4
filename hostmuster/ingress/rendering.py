"""What the two configurations say, from the settings and the fleet (H13)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Final

from hostmuster.ingress.location import matches
from hostmuster.ingress.settings import LoadBalancer
from hostmuster.model.fleet import Host
from hostmuster.secrets.reader import CURRENT

BACKEND: Final = "servers"
SOCKET: Final = "/run/haproxy/hostmuster.sock"
ADMIN: Final = "/run/haproxy/hostmuster-admin.sock"
OWN_PATH: Final = "/.hostmuster"
"""Answered from the host itself alone: which configuration nginx runs with."""
OWN_URL: Final = f"http://127.0.0.1{OWN_PATH}"
SELF_MADE: Final = "/etc/hostmuster/ingress"


def servers(host: Host, want: LoadBalancer) -> list[tuple[str, str]]:
    """By name, address and port of each host that answers: never a name that would be looked up."""
    upstream = want.upstream
    return [(one.name, f"{one.address}:{upstream.port}") for one in host.fleet.with_role(upstream.role)]


def certificate(want: LoadBalancer) -> tuple[str, str]:
    """The paths of the certificate and its key. Those of the store are read where they lie, anew at each reload."""
    if want.tls == "self-made":
        return f"{SELF_MADE}/certificate.pem", f"{SELF_MADE}/key.pem"
    folder = f"{CURRENT}/{want.tls.reader}"
    return f"{folder}/{want.tls.certificate}", f"{folder}/{want.tls.key}"


def values(host: Host, want: LoadBalancer) -> Mapping[str, object]:
    """For both templates. `digest`: the same for the same configurations only, so that a running one is known."""
    pem, key = certificate(want)
    given: dict[str, object] = {
        "names": want.names,
        "certificate": pem,
        "key": key,
        "connections": want.connections,
        "locations": [(m, one.body_kb) for path, one in want.locations.items() for m in matches(path, one)],
        "servers": servers(host, want),
        "health": want.health.model_dump(),
        "says": [_member(name, value) for name, value in want.health.says.items()],
        "check_host": want.names[0] if want.names else host.name,
        "answer_ms": round(1000 * want.answer_s),
        # All else has said what it has to say by then.
        "stop_ms": round(1000 * want.answer_s) + 15_000,
        **_within(want.health.within_s),
        "backend": BACKEND,
        "socket": SOCKET,
        "admin": ADMIN,
        "own_path": OWN_PATH,
    }
    return given | {"digest": hashlib.sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()[:16]}


def _within(seconds: float) -> Mapping[str, int]:
    """Two checks must fail before a server leaves, two be answered before it returns.

    At worst it dies just after a check: inter, a check's connection and answer, fastinter, and those once more:
    0.2 + 0.15 + 0.15 + 0.1 + 0.3 of the time there is. What was sent may be without acknowledgement for longer: who
    does not take more of a large request just now is not dead.
    """
    ms = 1000 * seconds
    shares = {"inter_ms": 0.2, "fast_ms": 0.1, "check_ms": 0.15, "connect_ms": 0.15, "unheard_ms": 3.0}
    return {name: round(share * ms) for name, share in shares.items()}


def _member(name: str, value: str | bool) -> str:
    """What HAProxy looks for in the answer: the member with this value, as a word of its configuration."""
    text = json.dumps(value) if isinstance(value, bool) else f'"{value}"'
    pattern = rf'"{re.escape(name)}"[[:space:]]*:[[:space:]]*{text}'
    return '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"'
