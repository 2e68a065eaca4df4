"""Only what is declared comes in, over IPv4 and IPv6; rules of Docker and fail2ban stay as they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from hostmuster.effects import firewall as proofs
from hostmuster.firewall.policy import Policy
from hostmuster.firewall.rendering import IN, OWN, fallback, render
from hostmuster.firewall.source import FAMILIES, Family, prefixes
from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.package import Package
from hostmuster.resources.rule_set import LOADER, RuleSet
from hostmuster.resources.unit import Unit
from hostmuster.resources.unit_file import unit_file
from hostmuster.template import Declared, Templated
from hostmuster.vip import membership

FOLDER = "/etc/hostmuster/firewall"
LOAD = f"{FOLDER}/load"
UNIT = "hostmuster-firewall.service"
DOCKER = "/etc/systemd/system/docker.service.d"
ITEM = Item("firewall", settings=Policy, only_declared=True)


def resources(host: Host) -> Iterator[Declared]:
    """What loads the rules at boot, then the rules: armed, and confirmed over a new connection."""
    policy = settings(host)
    yield Package("iptables")
    yield Directory(FOLDER)
    yield File(LOAD, LOADER.encode(), mode="0755", validate=("sh", "-n"), lint="shell")
    for family in FAMILIES:
        yield _file(f"v{family}.fallback", fallback(host, policy, family), family)
    yield unit_file(UNIT, "firewall/hostmuster-firewall.service.j2", {"folder": FOLDER})
    if policy.published is not None:
        yield Directory(DOCKER)
        drop_in = File(f"{DOCKER}/hostmuster-firewall.conf", b"", lint="systemd-unit")
        yield Templated(drop_in, "firewall/docker.conf.j2", {"folder": FOLDER})
    rules = {family: render(host, policy, family) for family in FAMILIES}
    for family, text in rules.items():
        yield _file(f"v{family}.rules", text, family, risky=True)
    yield RuleSet("firewall", OWN, {str(family): text for family, text in rules.items()}, (LOAD, FOLDER))
    yield Unit(UNIT)


def effects(host: Host) -> Iterator[Effect]:
    """Our chain is first and whole; a neighbour is open where it is declared and closed elsewhere."""
    counts = [render(host, settings(host), family).count(f"-A {IN} ") for family in FAMILIES]
    yield proofs.first(IN, (counts[0], counts[1]))
    yield from _neighbour(host)


def settings(host: Host) -> Policy:
    """This item's settings for the host; who shares a virtual IP with it may send VRRP."""
    policy = cast("Policy", host.settings(ITEM.name))
    if not membership.takes_part(host):
        return policy
    return policy.model_copy(update={"vip_peers": (*policy.vip_peers, *membership.router(host).sources())})


def _file(name: str, text: str, family: Family, *, risky: bool = False) -> File:
    program = "iptables-restore" if family == 4 else "ip6tables-restore"
    check = ("unshare", "-n", "--", program)
    return File(f"{FOLDER}/{name}", text.encode(), validate=check, lint="iptables", risky=risky)


def _neighbour(host: Host) -> Iterator[Effect]:
    """The next host that has a firewall and lets this one in somewhere."""
    names = list(host.fleet.hosts)
    at = names.index(host.name)
    for name in [*names[at + 1 :], *names[:at]]:
        other = host.fleet.hosts[name]
        if not ITEM.applies_to(other) or settings(other).default != "drop":
            continue
        policy = settings(other)
        port = policy.management_port or other.port
        if {"", f"{host.address}/32"} & set(prefixes(other, policy.management_from, 4)):
            taken = {ports for rule in (*policy.allow, *(policy.published or ())) for ports in rule.ports}
            closed = next(p for p in range(1, 1024) if p != port and not any(_within(p, ports) for ports in taken))
            yield proofs.neighbour(name, other.address, port, closed)
            return


def _within(port: int, ports: str) -> bool:
    first, _, last = ports.partition(":")
    return int(first) <= port <= int(last or first)
