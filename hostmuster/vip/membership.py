"""Who shares a virtual IP: the ingress hosts that have its item, in the order of the fleet file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from hostmuster.errors import InputError, Problem
from hostmuster.model.fleet import Host
from hostmuster.vip.settings import VirtualIp

NAME, ROLE = "virtual_ip", "ingress"
FIRST, STEP = 250, 10
"""Priorities: the earlier host's is higher. The steps keep two spares from answering a death in the same instant, since
who has the higher one waits shorter (RFC 5798, Skew_Time)."""
MOST = FIRST // STEP - 1


@dataclass(frozen=True)
class Member:
    """One host as the others know it. `v6` None: it has none, or none is shared."""

    name: str
    v4: str
    v6: str | None
    priority: int


@dataclass(frozen=True)
class Router:
    """The virtual router as one host sees it: itself and the others, never itself among them."""

    want: VirtualIp
    own: Member
    others: tuple[Member, ...]

    def sources(self) -> tuple[str, ...]:
        """Where the others' adverts come from, as addresses of both families."""
        return tuple(address for one in self.others for address in (one.v4, one.v6) if address)


def router(host: Host) -> Router:
    """What the host takes part in. Raises InputError: members that disagree, an IPv6 address that nobody declared."""
    hosts = [one for one in host.fleet.with_role(ROLE) if one.origin(NAME).file]
    want = _settings(host)
    problems = list(_problems(host, hosts))
    if problems:
        raise InputError(problems)
    members = {
        one.name: Member(one.name, one.address, want.v6.get(one.name) if want.of(6) else None, FIRST - STEP * at)
        for at, one in enumerate(hosts)
    }
    return Router(want, members.pop(host.name), tuple(members.values()))


def takes_part(host: Host) -> bool:
    """Whether the host shares a virtual IP."""
    return ROLE in host.roles and bool(host.origin(NAME).file)


def _problems(host: Host, hosts: list[Host]) -> Iterator[Problem]:
    where, want = str(host.origin(NAME)), _settings(host)
    if len(hosts) > MOST:
        yield Problem(where, f"{len(hosts)} hosts share a virtual IP", f"give the role {ROLE} to at most {MOST}")
    for other in hosts:
        if _settings(other) != want:
            what = f"{host.name} and {other.name} share a virtual IP and differ in its settings"
            yield Problem(where, what, f"declare virtual_ip once, at the role {ROLE}")
    if want.of(6):
        for other in hosts:
            if other.name not in want.v6:
                what = f"an IPv6 address is shared, and {other.name} has none of its own in `v6`"
                yield Problem(where, what, f"write virtual_ip.v6: {{{other.name}: ITS ADDRESS}}")
    taken = {one.address: one.name for one in host.fleet.hosts.values()} | {own: name for name, own in want.v6.items()}
    for address in (*want.plain(4), *want.plain(6)):
        if address in taken:
            yield Problem(where, f"{address} is {taken[address]}'s own address", "share one that no host has")


def _settings(host: Host) -> VirtualIp:
    return cast("VirtualIp", host.settings(NAME))
