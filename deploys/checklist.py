"""The one ordered list: what every host of this project's fleets is brought to, line by line."""

from __future__ import annotations

from deploys.items import (
    access,
    apparmor,
    clock,
    containers,
    database,
    dns_failover,
    egress,
    env_files,
    firewall,
    images,
    load_balancer,
    monitor,
    panel,
    secrets,
    units,
    virtual_ip,
    workspace,
)

# What serves (containers, units) stands behind all that must hold before it does.
CHECKLIST = (
    access,
    clock,
    egress,
    workspace,
    secrets,
    env_files,
    apparmor,
    images,
    firewall,
    database,
    containers,
    units,
    load_balancer,
    panel,
    virtual_ip,
    dns_failover,
    monitor,
)
