"""Exactly one NTP client runs, and the clock follows a declared server."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from hostmuster.effects import clock
from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.model.types import Seconds, wrong
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.package import Package
from hostmuster.resources.unit import Unit
from hostmuster.template import Declared, Templated


def _server(value: str) -> str:
    try:
        return str(ipaddress.ip_address(value))
    except ValueError:
        if re.fullmatch(r"(?=.{1,253}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*", value) and not value[-1].isdigit():
            return value
    raise wrong(f"`{value}` is neither an address nor a name in lower case", "write for example 192.0.2.1")


class Clock(BaseModel):
    """`found` accepts whichever client the host runs. Poll intervals are powers of 2, in seconds.

    `steps`: how many of chrony's first corrections may step the clock, if it is off by over a second; else it slews.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    client: Literal["chrony", "timesyncd", "found"] = "chrony"
    servers: tuple[Annotated[str, AfterValidator(_server)], ...] = Field(min_length=1, examples=[["192.0.2.1"]])
    minpoll: int = Field(default=6, ge=-6, le=17)
    maxpoll: int = Field(default=10, ge=-6, le=17)
    steps: int = Field(default=3, ge=0, le=100)
    most_offset_s: Seconds = 0.1
    deadline_s: Seconds = 30.0


CHRONY = {
    "/etc/chrony/conf.d/hostmuster.conf": "clock/chrony.conf.j2",
    "/etc/chrony/sources.d/hostmuster.sources": "clock/chrony.sources.j2",
}
"""Debian's chrony.conf reads both folders, and stays Debian's."""
UNITS = {"chrony": "chrony", "timesyncd": "systemd-timesyncd"}
ITEM = Item("clock", settings=Clock)


def resources(host: Host) -> Iterator[Declared]:
    """The client with the declared servers. Debian's packages exclude each other, so apt swaps an undeclared one."""
    declared = settings(host)
    values = declared.model_dump()
    match declared.client:
        case "chrony":
            yield Package("chrony")
            for path, template in CHRONY.items():
                lint = ("chronyd", "-p", "-f")
                file = File(path, b"", lint="chrony", validate=lint, restarts=("chrony.service",))
                yield Templated(file, template, values)
            yield Unit("chrony.service")
        case "timesyncd":
            yield Package("systemd-timesyncd")
            yield Directory("/etc/systemd/timesyncd.conf.d")
            file = File("/etc/systemd/timesyncd.conf.d/hostmuster.conf", b"", restarts=("systemd-timesyncd.service",))
            yield Templated(file, "clock/timesyncd.conf.j2", values)
            yield Unit("systemd-timesyncd.service")


def effects(host: Host) -> Iterator[Effect]:
    """One client, following a declared server; a skewed clock is named with its offset."""
    declared = settings(host)
    yield clock.one_client(UNITS.get(declared.client), declared.deadline_s)
    servers = () if declared.client == "found" else declared.servers
    yield clock.synchronised(servers, declared.most_offset_s, declared.deadline_s)


def settings(host: Host) -> Clock:
    """This item's settings for the host."""
    return cast("Clock", host.settings(ITEM.name))
