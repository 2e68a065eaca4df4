"""What a fleet file says of the virtual IP: the item virtual_ip's settings."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from hostmuster.model.types import HostName, Port, wrong

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_URL = re.compile(r"https?://[!#-&(-;=?-Z_a-z~\[\]]+")
"""Nothing that a shell would read, nor keepalived."""


def _shared(value: str) -> str:
    try:
        address = ipaddress.ip_interface(value)
    except ValueError:
        raise wrong(f"`{value[:60]}` is no address with its prefix", "write for example 192.0.2.100/24") from None
    if "/" not in value or "%" in value:
        raise wrong(f"`{value}` has no prefix", f"write the network's, for example {address.ip}/24")
    if address.ip.is_loopback or address.ip.is_multicast or address.ip.is_unspecified:
        raise wrong(f"`{value}` can be no shared address", "write a free address of the hosts' own network")
    return str(address)


def _v6(value: str) -> str:
    try:
        return str(ipaddress.IPv6Address(value))
    except ValueError:
        raise wrong(f"`{value[:60]}` is no IPv6 address", "write the host's own, for example 2001:db8::11") from None


def _loopback(value: str) -> str:
    if not _URL.fullmatch(value):
        raise wrong(f"`{value[:60]}` is no URL", "write for example http://127.0.0.1/health")
    try:
        host = urlsplit(value).hostname
    except ValueError:
        host = None
    if host not in LOOPBACK:
        raise wrong(f"{value} is not on this host", "its own proxy is asked: write 127.0.0.1, localhost or [::1]")
    return value


def _interface(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,14}", value):
        raise wrong(f"`{value[:60]}` is no interface's name", "write it as `ip link` shows it, for example eth0")
    return value


class VirtualIp(BaseModel):
    """`addresses` are shared by all ingress hosts that have the item, in both families as one; the first is IPv4.

    `v6`: each such host's own IPv6 address, between which adverts go; needed where an IPv6 address is shared.
    `router`: the virtual router's number (VRID), free in the network. `advert_s`: seconds between adverts; a dead
    owner is replaced after three of them and a little more (RFC 5798). `health`: a URL of the host's own proxy, asked
    each second; `fall` failures in a row give the addresses away, `rise` successes bring the host back as a spare.
    `port`: where clients connect to the shared addresses. Not declared at all, there is none of it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    interface: Annotated[str, AfterValidator(_interface), Field(examples=["eth0"])] = ""
    addresses: tuple[Annotated[str, AfterValidator(_shared)], ...] = Field(
        default=(), max_length=20, examples=[["192.0.2.100/24"]]
    )
    v6: dict[HostName, Annotated[str, AfterValidator(_v6)]] = {}
    router: int = Field(default=51, ge=1, le=255)
    advert_s: float = Field(default=0.1, ge=0.05, le=40)
    health: Annotated[str, AfterValidator(_loopback), Field(examples=["http://127.0.0.1/health"])] = ""
    health_s: float = Field(default=0.8, ge=0.1, le=0.9)
    fall: int = Field(default=2, ge=1, le=60)
    rise: int = Field(default=2, ge=1, le=60)
    port: Port = 443

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.model_fields_set:
            return self
        for key, example in (("interface", "eth0"), ("addresses", "[192.0.2.100/24]"), ("health", "http://127.0.0.1/")):
            if not getattr(self, key):
                raise wrong(f"the key `{key}` is missing", f"add for example `{key}: {example}`, or leave it all out")
        if not self.of(4):
            raise wrong("no IPv4 address is shared", "hosts are known by theirs, and adverts go between those")
        if len(set(self.plain(4) + self.plain(6))) < len(self.addresses):
            raise wrong("`addresses` has one twice", "keep one of them")
        return self

    def of(self, family: int) -> tuple[str, ...]:
        """The shared addresses of a family, with their prefix."""
        return tuple(one for one in self.addresses if ipaddress.ip_interface(one).version == family)

    def plain(self, family: int) -> tuple[str, ...]:
        """The same without the prefix."""
        return tuple(one.partition("/")[0] for one in self.of(family))
