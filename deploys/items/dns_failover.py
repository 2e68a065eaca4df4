"""Names of a zone of the fleet's own lead to addresses that answer: what fails is taken out, and put back."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import cast

from hostmuster.dns.settings import DnsFailover
from hostmuster.effects import dns_failover as proofs
from hostmuster.effects import service
from hostmuster.errors import InputError, Problem
from hostmuster.item import Effect, Item, of_service
from hostmuster.model.fleet import Host
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.package import Package
from hostmuster.resources.retired import Retired
from hostmuster.resources.unit import Unit
from hostmuster.resources.unit_file import unit_file
from hostmuster.template import Declared, Templated

FOLDER = "/etc/hostmuster/dns_failover"
CONFIG = "/etc/knot/knot.conf"
KNOT, CHECK = "knot.service", "hostmuster-dns.service"
_SCRIPT = files("hostmuster.dns").joinpath("check.sh").read_bytes()
# knot reads a zone by a configuration alone; the folder of the trial is gone with it.
_ZONE = """
copy=$(mktemp) || exit
trap 'rm -f -- "$copy"' EXIT
printf 'zone:\\n  - domain: %s\\n    file: "%s"\\n' "$0" "$1" >"$copy" && knotc -c "$copy" zone-check"""
_CONF = ("sh", "-c", 'knotc -c "$0" conf-check')
ITEM = Item("dns_failover", settings=DnsFailover, only_declared=True, serves=True)


@dataclass(frozen=True)
class Record:
    """One address of a name."""

    name: str
    type: str
    address: str


def resources(host: Host) -> Iterator[Declared]:
    """knot with the zone, then what takes addresses out of it. Both read their files anew without an outage."""
    want, hosts = settings(host), servers(host)
    zone = f"{FOLDER}/{want.zone}.zone"
    values = want.model_dump() | {"file": zone, "hosts": hosts, "records": list(_records(want))}
    for package in ("curl", "knot", "knot-dnsutils"):
        yield Package(package)
    yield Directory(FOLDER)
    check = ("sh", "-c", _ZONE.strip(), want.zone)
    yield Templated(File(zone, b"", validate=check, reloads=(KNOT,)), "dns_failover/zone.j2", values)
    config = File(CONFIG, b"", validate=_CONF, restarts=(KNOT,))
    yield Templated(config, "dns_failover/knot.conf.j2", values)
    yield Unit(KNOT)
    yield File(f"{FOLDER}/check", _SCRIPT, "0755", validate=("sh", "-n"), restarts=(CHECK,), lint="shell")
    lines = [f"{one.name} {one.type} {one.address} {_of(want, one)}\n" for one in _records(want)]
    # Each round reads it from the start.
    yield File(f"{FOLDER}/checks", "".join(lines).encode())
    paths = {"check": f"{FOLDER}/check", "checks": f"{FOLDER}/checks"}
    yield unit_file(CHECK, "dns_failover/check.service.j2", want.model_dump() | paths)
    yield Unit(CHECK)


def leaving(host: Host) -> Iterator[Declared]:
    """It answers for the zone no more: resolvers go to the others."""
    yield Retired(CHECK)
    yield Retired(KNOT)


def effects(host: Host) -> Iterator[Effect]:
    """Both run, and the server gives addresses that are declared; deep: the next server gives the same."""
    want, hosts = settings(host), servers(host)
    yield from of_service(service.active(unit, 10) for unit in (KNOT, CHECK))
    pairs = {
        (one.name, one.type): tuple(o.address for o in _records(want) if (o.name, o.type) == (one.name, one.type))
        for one in _records(want)
    }
    for (name, kind), addresses in pairs.items():
        yield from of_service([proofs.given(host.address, f"{name}.{want.zone}", kind, addresses)])
    at = hosts.index(host)
    for other in [*hosts[at + 1 :], *hosts[:at]][:1]:
        questions = tuple((f"{name}.{want.zone}", kind) for name, kind in pairs)
        yield from of_service([proofs.alike(host.address, other.name, other.address, questions)])


def servers(host: Host) -> list[Host]:
    """The zone's servers, in the order of the fleet file. Raises InputError where they disagree."""
    hosts = [one for one in host.fleet.hosts.values() if ITEM.applies_to(one)]
    for other in hosts:
        if settings(other) != settings(host):
            what = f"{host.name} and {other.name} serve a zone and differ in its settings"
            remedy = "declare dns_failover once, at the role that both have"
            raise InputError([Problem(str(host.origin(ITEM.name)), what, remedy)])
        if other.name in settings(host).names:
            what = f"`{other.name}` is a name of the zone and the name of one of its servers"
            raise InputError([Problem(str(host.origin(ITEM.name, "names")), what, "take another name")])
    return hosts


def settings(host: Host) -> DnsFailover:
    """This item's settings for the host."""
    return cast("DnsFailover", host.settings(ITEM.name))


def _records(want: DnsFailover) -> Iterator[Record]:
    for name, one in want.names.items():
        for address in one.addresses:
            yield Record(name, "A" if ipaddress.ip_address(address).version == 4 else "AAAA", address)


def _of(want: DnsFailover, record: Record) -> str:
    one = want.names[record.name]
    return f"{one.port} {one.health}"
