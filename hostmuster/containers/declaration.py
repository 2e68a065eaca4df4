"""What a fleet file says of one container."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from hostmuster.env.file import refusals
from hostmuster.env.variable import EnvValue
from hostmuster.images.reference import ImageReference
from hostmuster.model.types import AbsolutePath, EnvName, Port, wrong


def _name(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", value):
        raise wrong(f"`{value[:60]}` is no container's name", "a-z, 0-9 and, inside only, `-`; at most 40 characters")
    return value


def _mountable(value: str) -> str:
    if "," in value or '"' in value:
        raise wrong(f"`,` or a quote in the path `{value}`", "docker's --mount cannot carry it: choose another path")
    return value


def _private(value: str) -> str:
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        raise wrong(f"`{value}` is no address", "write for example 10.0.0.11") from None
    if not address.is_private or address.is_unspecified:
        raise wrong(
            f"{value} is no private address", "publish on a private one; what is public goes through the ingress"
        )
    return str(address)


ContainerName = Annotated[str, AfterValidator(_name), Field(examples=["web"])]
Path = Annotated[AbsolutePath, AfterValidator(_mountable)]
PrivateAddress = Annotated[str, AfterValidator(_private), Field(examples=["10.0.0.11"])]


class Bind(BaseModel):
    """Where a directory or file of the host is seen in the container: read-only, unless `writable`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    at: Path
    writable: bool = False


class Published(BaseModel):
    """A TCP port of the host and the one in the container that it leads to."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    port: Port
    to: Port


class Container(BaseModel):
    """One container. Its ports are published on the host's own address unless `address` says another.

    `binds` by path on the host. `ready`: a command on the host that succeeds once it serves. `apparmor`: the
    profile it is confined by. `stop_s`: seconds from SIGTERM to SIGKILL.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    image: ImageReference
    command: tuple[str, ...] = ()
    env: dict[EnvName, EnvValue] = {}
    publish: tuple[Published, ...] = ()
    address: PrivateAddress | None = None
    binds: dict[Path, Bind] = {}
    user: Annotated[str, Field(pattern=r"^[a-z0-9_][a-z0-9_-]*(:[a-z0-9_][a-z0-9_-]*)?$")] | None = None
    apparmor: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+$")] | None = None
    ready: tuple[str, ...] = ()
    ready_s: int = Field(default=30, ge=1, le=3600)
    stop_s: int = Field(default=30, ge=1, le=3600)

    @model_validator(mode="after")
    def _can_be_carried(self) -> Container:
        if refused := list(refusals("docker", self.env)):
            raise wrong(f"docker cannot carry: {'; '.join(refused)}", "change the value")
        places = [bind.at for bind in self.binds.values()]
        if twice := {place for place in places if places.count(place) > 1 or place == "/etc/machine-id"}:
            raise wrong(f"{', '.join(sorted(twice))} is mounted twice", "/etc/machine-id is each container's own")
        ports = [one.port for one in self.publish]
        if len(set(ports)) < len(ports):
            raise wrong("a port is published twice", "one port of the host leads to one in the container")
        return self
