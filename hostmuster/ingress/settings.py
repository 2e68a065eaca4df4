"""What a fleet file says of the way in: the item load_balancer's settings."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from hostmuster.ingress.location import Location, PublicPath, UrlPath, covers
from hostmuster.model.fleet import Fleet, Host
from hostmuster.model.types import Port, RoleName, Seconds, UnitName, wrong
from hostmuster.secrets.reader import FileName, ReaderName

ITEM = "load_balancer"
_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+")
_MEMBER = re.compile(r"[A-Za-z0-9_-]{1,40}")


def _name(value: str) -> str:
    if not _NAME.fullmatch(value) or value.rpartition(".")[2].isdigit():
        raise wrong(f"`{value[:60]}` is no name of a site", "a DNS name in lower case: api.example.net")
    return value


def _member(value: str) -> str:
    if not _MEMBER.fullmatch(value):
        raise wrong(f"{value[:60]!a} is not compared", "letters, digits, `_` and `-`, at most 40")
    return value


SiteName = Annotated[str, AfterValidator(_name), Field(examples=["api.example.net"])]
Member = Annotated[str, AfterValidator(_member)]


class Upstream(BaseModel):
    """Who answers: all hosts of a role, at one port. A restart of one of the `units` there is preceded by a drain."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: RoleName = "server"
    port: Port = 8080
    units: tuple[UnitName, ...] = Field(default=(), examples=[["workload.service"]])


class Health(BaseModel):
    """What means ready: a GET of `path` is answered by 200 and a JSON document in which members are as `says` has them.

    `within_s`: so soon one that is not ready, or dead, gets no more requests, and one that is again does.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: UrlPath = "/health/ready"
    says: dict[Member, Member | bool] = {"status": "ok"}
    within_s: float = Field(default=1.0, ge=0.5, le=60)


class Tls(BaseModel):
    """Files of a reader of the item secrets: the certificate with all that leads to its root, and its key."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    reader: ReaderName
    certificate: FileName = "certificate.pem"
    key: FileName = "key.pem"


class LoadBalancer(BaseModel):
    """`names` empty: whatever name a client uses. `asks`: a public path that effects ask for, answered by 2xx.

    `drain_s`: how long requests in work may take before a restart; `answer_s`: the most that a server may take to
    answer. `connections`: at a time, of one address.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    names: tuple[SiteName, ...] = ()
    tls: Tls | Literal["self-made"] = "self-made"
    locations: dict[PublicPath, Location] = {}
    asks: UrlPath = "/health/ready"
    upstream: Upstream = Upstream()
    health: Health = Health()
    drain_s: int = Field(default=30, ge=1, le=600)
    answer_s: Seconds = 60.0
    connections: int = Field(default=200, ge=1, le=100_000)

    @model_validator(mode="after")
    def _says_what_it_must(self) -> Self:
        if not self.model_fields_set:
            return self
        if not self.locations:
            raise wrong(
                "`locations` names no path", "list the public ones, or leave load_balancer out: nothing is done"
            )
        if "tls" not in self.model_fields_set:
            raise wrong("nothing says whose certificate it is", "`tls: {reader: NAME}`; in a lab `tls: self-made`")
        if not self.upstream.units:
            what = "`upstream.units` names no unit, so servers would be restarted with requests in work"
            raise wrong(what, "name the units that answer there: [workload.service]")
        if not any(covers(path, location, self.asks) for path, location in self.locations.items()):
            what = f"`asks` is {self.asks}, which no declared location answers"
            raise wrong(what, "name a public path that is answered by 2xx without any credential")
        return self


def balancer(host: Host) -> LoadBalancer | None:
    """The settings of a host that balances load; None for any other."""
    declared = ITEM in host.resolved.models and host.origin(ITEM).file
    return cast("LoadBalancer", host.settings(ITEM)) if declared else None


def balancers(fleet: Fleet) -> dict[str, LoadBalancer]:
    """By name, the hosts that balance load."""
    found = ((name, balancer(host)) for name, host in fleet.hosts.items())
    return {name: one for name, one in found if one is not None}
