"""The fleet file's section `drills`: how the service is asked, how a host loses its power, what is promised (H21)."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from hostmuster.model.types import Port, Seconds, UnitName, wrong


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _url(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise wrong(f"`{value[:60]}` is no address of HTTP", "write http://{address}:PORT/PATH or https://NAME/PATH")
    return value


def _command(value: tuple[str, ...]) -> tuple[str, ...]:
    if not any("{host}" in word or "{address}" in word for word in value):
        raise wrong("the command names no host", "write {host} or {address} where the host's belongs")
    return value


Url = Annotated[str, AfterValidator(_url), Field(examples=["http://{address}:8080/health/ready"])]
HookCommand = Annotated[tuple[str, ...], AfterValidator(_command), Field(min_length=1)]


class Service(_Part):
    """What runs on each host of a role: its unit, and the address that answers 200 once it is ready."""

    unit: UnitName
    ready: Url | None = None


class Client(_Part):
    """What a drill's client asks: GETs of one path and POSTs of another, so many a second.

    `through`: where, each by a client of its own; empty: each server directly, where `port` serves. `name`: what the
    server is called, where an address is asked; `ca`: a file of the project by which its TLS is checked. `post` empty:
    only GETs. `tasks`: the path that counts tasks by state, below which each is found by its id; `workers`: the one
    that tells of workers. `insecure`: any certificate is taken, as a lab's own.
    """

    through: tuple[Url, ...] = ()
    port: Port = 8080
    name: str | None = None
    ca: str | None = None
    get: str = "/health/ready"
    get_hz: float = Field(default=25.0, ge=0, le=1000)
    post: str = ""
    post_hz: float = Field(default=25.0, ge=0, le=1000)
    task_s: float = Field(default=0.0, ge=0, le=60)
    tasks: str = ""
    workers: str = ""
    insecure: bool = False


class Power(_Part):
    """Commands on the controller that take a host's power and give it back: of a provider, a BMC, a hypervisor."""

    off: HookCommand = Field(examples=[["ipmitool", "-H", "bmc-{host}", "power", "off"]])
    on: HookCommand = Field(examples=[["ipmitool", "-H", "bmc-{host}", "power", "on"]])


class Tier(_Part):
    """What is promised of one kind of loss, in seconds: without a good answer, and until redundancy is back."""

    outage_s: Seconds
    back_s: Seconds


class Tiers(_Part):
    """Each measured by itself; none is judged against another's (H21, R11)."""

    process: Tier = Tier(outage_s=60, back_s=60)
    host: Tier = Tier(outage_s=60, back_s=300)
    ingress: Tier = Tier(outage_s=0.5, back_s=300)
    control_plane: Tier = Tier(outage_s=600, back_s=600)
    database: Tier = Tier(outage_s=600, back_s=600)


class Drilling(_Part):
    """`services`: by role. `own`: databases and Redis outside the fleet that nobody else uses. `watch_s`: how long a
    fault is looked at that does not end by itself; `undo_s`: how many seconds later it does, whatever became of us.
    """

    services: dict[str, Service] = {}
    client: Client = Client()
    power: Power | None = None
    targets: Tiers = Tiers()
    own: tuple[str, ...] = ()
    watch_s: Seconds = 10.0
    undo_s: int = Field(default=60, ge=5, le=3600)
