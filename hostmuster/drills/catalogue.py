"""All drills by name, in the order in which run-all holds them: processes first, then hosts and cables."""

from __future__ import annotations

from collections.abc import Mapping

from hostmuster.drills.drill import Drill
from hostmuster.drills.named import (
    clock_skew,
    cut_host,
    database,
    disk_full,
    docker,
    ingress_host,
    keepalived,
    nginx,
    runner_killed,
    server_host,
    server_process,
    split_brain,
    vhost_regenerated,
    worker_host,
)
from hostmuster.errors import Refused

DRILLS: Mapping[str, Drill] = {
    module.DRILL.name: module.DRILL
    for module in (
        *(server_process, nginx, keepalived, docker, vhost_regenerated, disk_full, clock_skew, cut_host, split_brain),
        *(worker_host, server_host, ingress_host, database, runner_killed),
    )
}


def named(name: str) -> Drill:
    """Raises Refused for a drill that there is not."""
    if name not in DRILLS:
        raise Refused(f"no drill is named {name}", where="drill.run", remedy=f"one of: {', '.join(DRILLS)}")
    return DRILLS[name]
