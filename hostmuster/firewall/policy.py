"""What the fleet file says of the firewall: one model, whatever the family."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from hostmuster.firewall.source import ANYWHERE, Source
from hostmuster.model.types import wrong


def _ports(value: object) -> str:
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    found = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?", text)
    if found:
        first, last = int(found[1]), int(found[2] or found[1])
        if 1 <= first <= last <= 65535 and (found[2] is None or first < last):
            return f"{first}:{last}" if last > first else str(first)
    raise wrong(f"`{value}` is no port and no range of ports", "write 443, or for example 6000-6010")


def _name(value: object) -> str:
    if isinstance(value, str) and re.fullmatch(r"[a-z0-9][a-z0-9-]{0,30}", value):
        return value
    raise wrong(f"`{value}` is no rule's name", "use a-z, 0-9 and `-`, at most 31 characters: it is the rule's comment")


Ports = Annotated[str, BeforeValidator(_ports), Field(examples=[443])]
"""A port, or FIRST-LAST; kept as iptables writes it."""


class Rule(BaseModel):
    """Ports of one protocol that open for some."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    name: Annotated[str, BeforeValidator(_name), Field(examples=["web"])]
    protocol: Literal["tcp", "udp"] = "tcp"
    ports: tuple[Ports, ...] = Field(min_length=1, examples=[[443]])
    sources: tuple[Source, ...] = Field(alias="from", min_length=1, examples=[[ANYWHERE]])


class Policy(BaseModel):
    """`default`: what becomes of all else that comes in. `accept` loads the same rules and ends none of them.

    `management_port` None is the port of the fleet file. `published`: the container ports that are reached from
    outside; not given, the forwarding of containers is left alone.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    default: Literal["drop", "accept"] = "drop"
    management_from: tuple[Source, ...] = Field(default=(ANYWHERE,), min_length=1)
    management_port: int | None = Field(default=None, ge=1, le=65535)
    allow: tuple[Rule, ...] = ()
    published: tuple[Rule, ...] | None = None
    vip_peers: tuple[Source, ...] = ()
