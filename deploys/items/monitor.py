"""Each host checks itself on a timer, tells of what changes, and speaks for a neighbour gone silent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from deploys.items import clock
from hostmuster.effects import monitor as proofs
from hostmuster.egress.settings import Egress
from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.monitor.checks import FOLDER, MEMORY, STATE, STATUS, ClockLimit, behind, derived, lines
from hostmuster.monitor.hook import Hook, hook, is_handed_over
from hostmuster.monitor.script import source
from hostmuster.monitor.settings import Monitor
from hostmuster.monitor.told import late_s
from hostmuster.resources.absent import Absent
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import UNIT_FOLDER, File
from hostmuster.resources.package import Package
from hostmuster.resources.retired import Retired
from hostmuster.resources.secret_file import SecretFile
from hostmuster.resources.unit import Unit
from hostmuster.resources.unit_file import unit_file
from hostmuster.template import Declared, Templated

if TYPE_CHECKING:
    from deploys.items import access

SERVICE, TIMER = "hostmuster-monitor.service", "hostmuster-monitor.timer"
ITEM = Item("monitor", settings=Monitor, only_declared=True)


def resources(host: Host) -> Iterator[Declared]:
    """The script and what it checks, the webhook's address, then the timer. The next run reads all of it anew."""
    want, service, way = _settings(host), _service(host), _hook(host)
    if way or want.urls:
        yield Package("curl")
    if want.tls:
        yield Package("openssl")
    yield Directory(FOLDER)
    yield Directory(STATE, "0700")
    yield File(f"{FOLDER}/check", source().encode(), "0755", validate=("sh", "-n"), lint="shell")
    told = [*lines(host, want, service, _ring(host), way), *derived(want, _others(host), _clock(host))]
    yield File(f"{FOLDER}/checks", "".join(f"{line}\n" for line in told).encode(), "0600")
    if way and is_handed_over(host, way, SERVICE):
        yield Absent(f"{FOLDER}/url")
    elif way:
        yield SecretFile(f"{FOLDER}/url", host.fleet.secrets[way.webhook.secret], begins=way.webhook.origin)
    values = {
        "check": f"{FOLDER}/check",
        "folder": FOLDER,
        "state": STATE,
        "memory": MEMORY,
        "interval_s": want.interval_s,
    }
    yield Templated(File(f"{UNIT_FOLDER}{SERVICE}", b"", lint="systemd-unit"), "monitor/monitor.service.j2", values)
    yield unit_file(TIMER, "monitor/monitor.timer.j2", values)
    yield Unit(TIMER, drop_ins=())


def leaving(host: Host) -> Iterator[Declared]:
    """A host of no fleet alerts nobody."""
    yield Retired(TIMER)


def effects(host: Host) -> Iterator[Effect]:
    """Its checks run; deep: its alerts have somewhere to go, and it can read the neighbour that it watches."""
    want, way = _settings(host), _hook(host)
    yield proofs.runs(TIMER, SERVICE, STATUS, late_s(want.interval_s))
    if way:
        yield proofs.webhook(way.webhook.origin, way.proxy)
    others = behind(host, _ring(host))
    if want.peers and others:
        yield proofs.neighbour(others[0], _service(host), STATUS)


def _hook(host: Host) -> Hook | None:
    egress = cast("Egress", host.settings("egress")) if host.origin("egress").file else None
    return hook(host, _settings(host).webhook, egress, str(host.origin(ITEM.name, "webhook")))


def _others(host: Host) -> Iterator[object]:
    """What the host's other items make there."""
    from deploys.checklist import CHECKLIST  # at call: the checklist imports this module

    for module in CHECKLIST:
        if module.ITEM.name != ITEM.name and module.ITEM.applies_to(host):
            yield from module.resources(host)


def _ring(host: Host) -> tuple[str, ...]:
    return tuple(one.name for one in host.fleet.hosts.values() if ITEM.applies_to(one))


def _clock(host: Host) -> ClockLimit:
    want = clock.settings(host)
    client = clock.UNITS.get(want.client)
    return ClockLimit(client, want.most_offset_s, want.servers if client else ())


def _service(host: Host) -> str:
    return cast("access.Settings", host.settings("access")).service


def _settings(host: Host) -> Monitor:
    return cast("Monitor", host.settings(ITEM.name))
