"""What a fleet file says of a panel's virtual hosts: the item panel's settings."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from hostmuster.env.variable import EnvValue
from hostmuster.model.types import AbsolutePath, HostName


class Vhost(BaseModel):
    """`path`: the panel's own file, which it writes anew. `template` below templates/panel has our locations."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: AbsolutePath
    template: str = Field(examples=["api.conf.j2"])
    values: dict[str, EnvValue] = {}


class Panel(BaseModel):
    """`nginx`: the panel's, which tests a file before it serves. `told_s`: how long a restored file stays an alert."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    vhosts: dict[HostName, Vhost] = {}
    nginx: AbsolutePath = "/usr/sbin/nginx"
    every_s: int = Field(default=60, ge=1, le=3600)
    told_s: int = Field(default=600, ge=1, le=86400)
