"""A change that could lock us out: two files, a kernel setting, and a debt, behind a step that arms them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from pydantic import BaseModel, ConfigDict

from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.resources.file import File
from hostmuster.resources.resource import Resource
from hostmuster.resources.sysctl import Sysctl


class Settings(BaseModel):
    """`number` is what changes; `told` is run after the switch."""

    model_config = ConfigDict(extra="forbid")

    number: int = 1
    told: tuple[tuple[str, ...], ...] = ()


ITEM = Item("armed", settings=Settings)


def resources(host: Host) -> Iterator[Resource]:
    """For another number: arm, a file, a debt, a file, a run with its undoing."""
    want = cast("Settings", host.settings("armed"))
    text = f"{want.number}\n".encode()
    yield File("/etc/trial-armed.conf", text, "0640", restarts=("trial.service",), told=want.told, risky=True)
    yield Sysctl("net.ipv4.igmp_max_memberships", str(want.number))


def effects(host: Host) -> Iterator[Effect]:
    """None: the trials look for themselves."""
    yield from ()
