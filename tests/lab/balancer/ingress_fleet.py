"""Two servers, one of each Debian, and ingress hosts in front of them: their project and what it declares."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.fleet_on_lab import REPOSITORY, FleetOnLab

ONE, TWO = "server-1", "server-2"
SERVERS = (ONE, TWO)
INGRESS, OTHER = "ingress-1", "ingress-2"
UNIT = "answers.service"
WITHIN_S = 1.0
BALANCER: dict[str, Any] = {
    "tls": "self-made",
    "locations": {"/work": {}, "/tasks": {}, "/health/ready": {"exact": True}},
    "asks": "/health/ready",
    "upstream": {"units": [UNIT]},
    "health": {"says": {"status": "ok", "database": "ok"}, "within_s": WITHIN_S},
    "drain_s": 5,
}
DEPLOYS = Path(__file__).parent / "deploys"


class IngressFleet(FleetOnLab):
    """A project of its own: a service of the tests, and the repository's load_balancer."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, name)
        (folder / "deploys").unlink()
        shutil.copytree(DEPLOYS, folder / "deploys", ignore=shutil.ignore_patterns("__pycache__"))
        for item in ("load_balancer.py", "secrets.py"):
            (folder / "deploys" / "items" / item).symlink_to(REPOSITORY / "deploys" / "items" / item)
        self.extra = {"lease_s": 5, "silence_s": 8}


def hosts(net: Subnet, front: Sequence[str] = (INGRESS,)) -> list[Machine]:
    """The servers, and those in front of them."""
    servers = [Machine(name, net.at(11 + at), 12 + at, ("server",)) for at, name in enumerate(SERVERS)]
    return [*servers, *(Machine(name, net.at(15 + at), 12 + at, ("ingress",)) for at, name in enumerate(front))]
