"""What a fleet file says of the way out: the item egress's settings."""

from __future__ import annotations

import ipaddress
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from hostmuster.egress.name import AllowedName
from hostmuster.egress.way import network
from hostmuster.model.types import Port, UserName, wrong


def _listen(value: str) -> str:
    try:
        address = ipaddress.IPv4Address(value)
    except ValueError as error:
        raise wrong(f"`{value[:60]}` is no IPv4 address", "write for example 127.0.0.1") from error
    if address.is_unspecified:
        raise wrong("0.0.0.0 would be a proxy for everybody", "write one address of the host")
    return str(address)


def _confined(value: str) -> str:
    if value in ("root", "tinyproxy"):
        raise wrong(f"the way of `{value}` cannot be closed", "the host needs it; name the users of services")
    return value


Network = Annotated[str, AfterValidator(network), Field(examples=["10.0.0.0/24"])]


class Egress(BaseModel):
    """`direct`, and with `peers` the fleet's hosts, are reached without the proxy."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    allow: tuple[AllowedName, ...] = Field(default=(), examples=[["api.example.net"]])
    ports: tuple[Port, ...] = Field(default=(443,), min_length=1)
    listen: Annotated[str, AfterValidator(_listen)] = "127.0.0.1"
    port: Annotated[int, Field(ge=1024, le=65535)] = 8888
    clients: tuple[Network, ...] = ()
    users: tuple[Annotated[UserName, AfterValidator(_confined)], ...] = ()
    direct: tuple[Network, ...] = ()
    peers: bool = True

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if self.model_fields_set and not self.allow:
            raise wrong("`allow` names nothing", "list the names, or leave egress out: then nothing is done")
        return self
