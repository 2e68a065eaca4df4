"""Who may come in: addresses, hosts and roles of the fleet, or anybody; each as prefixes of one family."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Annotated, Literal

from pydantic import AfterValidator

from hostmuster.errors import InputError, Problem
from hostmuster.model.fleet import Host
from hostmuster.model.types import wrong

Family = Literal[4, 6]
FAMILIES: tuple[Family, Family] = (4, 6)
ANYWHERE = "anywhere"


@cache
def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        return None


def _source(value: str) -> str:
    if value.startswith("!"):
        raise wrong(f"`{value}` excludes a source", "list who may come in; all others are kept out anyway")
    try:
        network = ipaddress.ip_network(value, strict=False)
    except ValueError:
        if value and all(c in "abcdefghijklmnopqrstuvwxyz0123456789-" for c in value):
            return value
        raise wrong(
            f"`{value[:60]}` is no source", f"write an address, a prefix, a host, a role, or `{ANYWHERE}`"
        ) from None
    if _network(value) is None:
        raise wrong(f"`{value}` has bits beyond its prefix", f"write {network}")
    if network.prefixlen == 0:
        raise wrong(f"`{value}` is everybody of one family only", f"write `{ANYWHERE}`: it holds for both")
    return str(network)


Source = Annotated[str, AfterValidator(_source)]
"""An address or prefix, a host's name, a role's, or `anywhere`."""


def prefixes(host: Host, sources: Iterable[str], family: Family) -> Iterator[str]:
    """As iptables writes them, each once; empty text is anybody. Raises InputError: a word that is no host and no role.

    Of a host of the fleet IPv4 alone is known. A host may have two of the roles that are named.
    """
    return iter(dict.fromkeys(_each(host, sources, family)))


def _each(host: Host, sources: Iterable[str], family: Family) -> Iterator[str]:
    for source in sources:
        network = _network(source)
        if source == ANYWHERE:
            yield ""
        elif network is not None:
            if network.version == family:
                yield str(network)
        else:
            yield from (f"{address}/32" for address in _of_fleet(host, source) if family == 4)


def _of_fleet(host: Host, name: str) -> list[str]:
    members = [host.fleet.hosts[name]] if name in host.fleet.hosts else host.fleet.with_role(name)
    if not members:
        origin = host.origin("firewall")
        what = f"firewall: `{name}` is no host and no role with hosts"
        raise InputError([Problem(str(origin), what, "correct the name, or write addresses")])
    return [member.address for member in members]
