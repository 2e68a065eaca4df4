"""What a host's monitor checks, as the lines its script reads (frame.sh): most of it follows from the other items."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hostmuster.model.fleet import Host
from hostmuster.monitor.hook import Hook
from hostmuster.monitor.settings import Monitor
from hostmuster.resources.apparmor_profile import AppArmorProfile
from hostmuster.resources.certificate import Certificate
from hostmuster.resources.container import Container
from hostmuster.resources.engine import Engine
from hostmuster.resources.unit import Unit

WATCHED = 4
"""Of the hosts behind this one in the ring: so many in a row may be silent at once, and each is spoken for."""
FOLDER = "/etc/hostmuster/monitor"
STATE = "/var/lib/hostmuster-monitor"
"""The copy on disk of what was told and is still to be told."""
MEMORY = "/run/hostmuster-monitor"
STATUS = f"{MEMORY}/status.json"
"""How the host stands, for other hosts to read: in memory, so that a full disk does not keep it from telling."""
FROZEN = "/var/lib/hostmuster/frozen"
"""Written by the on-host script; its presence is maintenance."""


@dataclass(frozen=True)
class ClockLimit:
    """The item clock's settings, as far as they are checked. `client` None: whichever runs."""

    client: str | None
    most_offset_s: float
    servers: tuple[str, ...]


def lines(host: Host, want: Monitor, service: str, ring: tuple[str, ...], hook: Hook | None) -> Iterator[str]:
    """How checks are run and alerts go out, and what the fleet file declares beyond the other items."""
    yield f"fleet {host.fleet.name}"
    yield f"host {host.name}"
    yield f"service {service}"
    yield f"interval {want.interval_s}"
    yield f"patience {want.patience}"
    yield f"remind {round(want.remind_hours * 3600)}"
    yield f"restarts {want.restarts}"
    yield f"frozen {FROZEN}"
    if want.textfile:
        yield f"textfile {want.textfile}"
    if hook:
        yield " ".join(filter(None, ("webhook", hook.webhook.origin, hook.proxy)))
    yield from _peers(host, want, ring)
    yield from (f"disk {mount} {limit.space} {limit.inodes}" for mount, limit in want.disks.items())
    yield from (f"command {name} {command}" for name, command in want.commands.items())
    yield from (f"url {name} {url}" for name, url in want.urls.items())
    yield from (f"tls {path} {want.expiry_days}" for path in want.tls)
    for name, backup in want.backups.items():
        yield f"backup {name} {backup.marker} {round(backup.most_hours * 3600)}"


def derived(want: Monitor, resources: Iterable[object], clock: ClockLimit) -> Iterator[str]:
    """What follows from what other items make on the host."""
    for one in resources:
        match one:
            case Unit(active=True):
                yield f"unit {one.name}"
                if one.ready:
                    yield f"ready {one.name} {shlex.join(one.ready)}"
            case Engine():
                yield one.id
            case Container():
                yield f"container {one.name} {one.reference} {one.config}"
            case AppArmorProfile(enforcing=True):
                yield f"profile {one.name}"
            case Certificate():
                yield f"ssh {one.path} {want.expiry_days}"
    yield " ".join(["clock", clock.client or "-", f"{clock.most_offset_s:f}", *clock.servers])


def behind(host: Host, ring: tuple[str, ...]) -> tuple[str, ...]:
    """The hosts that come after this one in the ring, the next one first."""
    at = ring.index(host.name)
    return (*ring[at + 1 :], *ring[:at])


def _peers(host: Host, want: Monitor, ring: tuple[str, ...]) -> Iterator[str]:
    others = behind(host, ring)
    if want.peers is None or not others:
        return
    yield f"peers {want.peers.every_s} {want.peers.silent_s} {want.peers.skew_s}"
    yield f"before {others[-1]}"
    yield from (f"peer {name}" for name in others[:WATCHED])
