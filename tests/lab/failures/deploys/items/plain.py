"""A file that is read all the time, a link, and a unit that must be restarted when its file changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from pydantic import BaseModel, ConfigDict

from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.link import Link
from hostmuster.resources.resource import Resource
from hostmuster.resources.unit import Unit


class Settings(BaseModel):
    """`text` is what changes; `spoiled` makes the last step fail; `secret` is a content nobody else may see."""

    model_config = ConfigDict(extra="forbid")

    text: str = "one"
    lines: int = 20_000
    spoiled: bool = False
    secret: str = ""


ITEM = Item("plain", settings=Settings)
UNIT = b"""\
[Service]
ExecStart=/bin/sh -c 'cp /etc/trial.conf /run/trial.seen; exec sleep infinity'
[Install]
WantedBy=multi-user.target
"""


def resources(host: Host) -> Iterator[Resource]:
    """For another text: two files, a link, a debt."""
    want = cast("Settings", host.settings("plain"))
    yield Directory("/srv/trial")
    yield File("/srv/trial/read", f"{want.text}\n".encode() * want.lines)
    yield Link("/srv/trial/link", want.text)
    yield File("/etc/trial.conf", f"{want.text}\n".encode(), restarts=("trial.service",))
    yield File("/etc/systemd/system/trial.service", UNIT)
    yield Unit("trial.service")
    if want.secret:
        yield File("/srv/trial/secret", want.secret.encode(), "0600")
    if want.spoiled:
        yield File("/srv/trial/spoiled", want.text.encode(), told=(("false",),))


def effects(host: Host) -> Iterator[Effect]:
    """None: the trials look for themselves."""
    yield from ()
