"""The way around the proxy, closed by user: the rules of one chain in filter OUTPUT (iptables-extensions(8), owner)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Literal

from hostmuster.model.types import wrong

CHAIN = "HOSTMUSTER-EGRESS"
_PROHIBITED = {4: "icmp-admin-prohibited", 6: "icmp6-adm-prohibited"}


def network(value: str) -> str:
    """A network or an address, as iptables prints it. Raises a settings error."""
    try:
        return str(ip_network(value))
    except ValueError as error:
        raise wrong(f"`{value[:60]}` is no network: {error}", "write an address or for example 10.0.0.0/24") from error


def rules(users: Iterable[str], direct: Iterable[str], family: Literal[4, 6]) -> tuple[str, ...]:
    """In order, each as iptables-restore reads it behind `-A CHAIN`.

    Open: this host itself (the proxy is there), what goes on in a TCP connection (so that a service answers), and
    the `direct` networks of the family. Then the users' way ends, at once: a client need not wait for a timeout.
    """
    return tuple(_rules(users, direct, family))


def _rules(users: Iterable[str], direct: Iterable[str], family: Literal[4, 6]) -> Iterator[str]:
    yield "-o lo -j RETURN"
    yield "-p tcp ! --syn -j RETURN"
    for one in networks(direct):
        if one.version == family:
            yield f"-d {one} -j RETURN"
    for user in users:
        yield f"-m owner --uid-owner {user} -p tcp -j REJECT --reject-with tcp-reset"
        yield f"-m owner --uid-owner {user} -j REJECT --reject-with {_PROHIBITED[family]}"


def networks(texts: Iterable[str]) -> tuple[IPv4Network | IPv6Network, ...]:
    """Each once, in order."""
    return tuple(dict.fromkeys(map(_network, texts)))


# Each host of a fleet names all the others: the same few texts come thousands of times.
_network = cache(ip_network)
