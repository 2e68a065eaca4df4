"""Outbound HTTP(S) of service users leaves only through tinyproxy, to declared names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from hostmuster.effects import egress, service
from hostmuster.egress.name import pattern
from hostmuster.egress.settings import Egress
from hostmuster.egress.trial import trial
from hostmuster.egress.way import CHAIN, rules
from hostmuster.errors import InputError, Problem
from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.resources.chain import Chain
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import UNIT_FOLDER, File
from hostmuster.resources.package import Package
from hostmuster.resources.unit import Unit
from hostmuster.resources.unit_file import unit_file
from hostmuster.template import Declared, Templated

CONFIG = "/etc/tinyproxy/hostmuster.conf"
FILTER = "/etc/tinyproxy/hostmuster.filter"
DROP_IN = f"{UNIT_FOLDER}tinyproxy.service.d/hostmuster.conf"
LOAD = "/etc/hostmuster/egress/load"
PROXY, CLOSED = "tinyproxy.service", "hostmuster-egress.service"
ITEM = Item("egress", settings=Egress, only_declared=True)


def resources(host: Host) -> Iterator[Declared]:
    """The proxy's unit before its package, whose own start must not serve; then the way around it is closed."""
    want = _settings(host)
    if not want.allow:
        remedy = "list names under `allow`, or leave egress out: then nothing is done"
        raise InputError([Problem(str(host.origin(ITEM.name)), "egress is declared without a name", remedy)])
    yield Directory(DROP_IN.rpartition("/")[0])
    yield Templated(File(DROP_IN, b"", restarts=(PROXY,), lint="systemd-unit"), "egress/drop-in.j2", {"config": CONFIG})
    yield Package("tinyproxy")
    yield Package("iptables")
    patterns = [pattern(name) for name in dict.fromkeys(want.allow)]
    file = File(FILTER, b"", validate=trial("filter"), restarts=(PROXY,), lint="tinyproxy")
    yield Templated(file, "egress/filter.j2", {"patterns": patterns})
    clients = dict.fromkeys(("127.0.0.0/8", f"{want.listen}/32", *want.clients))
    values = want.model_dump() | {"filter": FILTER, "clients": list(clients)}
    file = File(CONFIG, b"", validate=trial("config"), restarts=(PROXY,), lint="tinyproxy")
    yield Templated(file, "egress/tinyproxy.conf.j2", values)
    v4, v6 = rules(want.users, _direct(host), 4), rules(want.users, _direct(host), 6)
    yield Directory(LOAD.rpartition("/")[0])
    load = File(LOAD, b"", mode="0755", validate=("sh", "-n"), lint="shell")
    yield Templated(load, "egress/load.j2", {"chain": CHAIN, "v4": v4, "v6": v6})
    yield unit_file(CLOSED, "egress/chain.service.j2", {"load": LOAD})
    yield Chain(CHAIN, v4, v6, want.users, LOAD)
    yield Unit(CLOSED, drop_ins=())
    yield Unit(PROXY, drop_ins=(DROP_IN,))


def effects(host: Host) -> Iterator[Effect]:
    """The proxy is there, refuses what is not declared and lets pass what is; nobody gets around it."""
    want = _settings(host)
    proxy = (want.listen, want.port)
    yield service.listens_only(want.listen, want.port, deadline_s=5)
    yield egress.denied(proxy, want.allow, want.ports)
    yield egress.allowed(proxy, want.allow, want.ports)
    yield from (egress.closed(user, want.allow, want.ports, _direct(host)) for user in want.users)


def _settings(host: Host) -> Egress:
    return cast("Egress", host.settings(ITEM.name))


def _direct(host: Host) -> tuple[str, ...]:
    want = _settings(host)
    peers = (f"{one.address}/32" for one in host.fleet.hosts.values()) if want.peers else ()
    return (*want.direct, *peers)
