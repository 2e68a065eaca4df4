"""What a fleet file says of names that lead to what answers: the item dns_failover's settings."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from hostmuster.model.types import AbsolutePath, HostName, matching, wrong

_NAME = re.compile(r"(?=.{1,200}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+")
_URL = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/?=%+-]*)?")


def _address(value: str) -> str:
    try:
        return str(ipaddress.ip_address(value))
    except ValueError:
        raise wrong(f"`{value[:60]}` is no address", "write an IPv4 or IPv6 address") from None


def _health(value: str) -> str:
    host = urlsplit(value).hostname or "" if _URL.fullmatch(value) else ""
    if not _NAME.fullmatch(host) or host[-1].isdigit():
        raise wrong(
            f"`{value[:60]}` is no URL with a host's name",
            "write what clients ask for, for example https://api.example.net/health; each address is asked for it",
        )
    return value


class Name(BaseModel):
    """One name of the zone. `health`: asked of each address, with the name in it for TLS and Host."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    addresses: tuple[Annotated[str, AfterValidator(_address)], ...] = Field(
        min_length=2, max_length=50, examples=[["192.0.2.100", "198.51.100.100"]]
    )
    health: Annotated[str, AfterValidator(_health), Field(examples=["https://api.example.net/health"])]

    @property
    def port(self) -> int:
        """The port in `health`, or its scheme's."""
        url = urlsplit(self.health)
        return url.port or (443 if url.scheme == "https" else 80)


class DnsFailover(BaseModel):
    """`zone` is delegated to the hosts that have the item. Each asks `health` every `every_s` seconds: `fall` failures
    in a row take an address out, `rise` successes put it back; the last one that is left stays. `ca`: a PEM file on the
    host, of who signs the certificates where the system's list has it not. Not declared at all, there is none of it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    zone: Annotated[
        str,
        matching(_NAME, "no zone", "write it in lower case without a dot at the end: lb.example.net"),
        Field(examples=["lb.example.net"]),
    ] = ""
    names: dict[HostName, Name] = {}
    ttl_s: int = Field(default=10, ge=1, le=300)
    every_s: int = Field(default=3, ge=1, le=300)
    timeout_s: int = Field(default=2, ge=1, le=60)
    fall: int = Field(default=2, ge=1, le=60)
    rise: int = Field(default=2, ge=1, le=60)
    ca: AbsolutePath | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.model_fields_set:
            return self
        if not self.zone or not self.names:
            raise wrong("dns_failover without `zone` or `names`", "declare both, or leave it all out")
        for name, one in self.names.items():
            if len(set(one.addresses)) < len(one.addresses):
                raise wrong(f"`{name}` has an address twice", "keep one of them")
        return self
