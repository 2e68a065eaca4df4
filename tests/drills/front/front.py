"""Two ingress hosts, two servers, a database: all that a client's request passes, but for who works on it later."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.drills.own_fleet import OwnFleet
from tests.drills.vip.client import HZ, asked
from tests.lab.vip.shared import BOTH, Shared

ROLES = frozenset({"server", "ingress", "database"})
RATES = ("--get", str(HZ / 2), "--post", str(HZ / 2), "--insecure-lab")
STATE = "journalctl -q -b -o cat -u keepalived -n 1 -g 'Entering [A-Z]+ STATE' || true"
ANSWERS = "curl -sSk -m 2 -o /dev/null -w '%{http_code}' https://127.0.0.1/health/ready || true"


@dataclass(frozen=True, kw_only=True)
class Front(Shared):
    """`own`: the fleet whose addresses they are."""

    own: OwnFleet

    def seen(self, happens: Callable[[], object], seconds: float) -> Any:
        """The document of a client that asks, GET and POST by turns; after one second it `happens`."""
        return asked([*RATES, f"https://{self.v4}"], happens, seconds)

    def serves(self) -> bool:
        """Whether one host owns the addresses, either would serve, and the other one would take them over at once: who
        came back is in fault until its proxy has answered twice, a second apart."""
        if not self.stands() or any(self.shell(host, ANSWERS) != "200" for host in BOTH):
            return False
        states = sorted(re.findall("BACKUP|MASTER", "".join(self.shell(host, STATE) for host in BOTH)))
        return states == ["BACKUP", "MASTER"]
