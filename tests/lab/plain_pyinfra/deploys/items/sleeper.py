"""Workers sleep."""

from __future__ import annotations

from collections.abc import Iterator

from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.resources.file import File
from hostmuster.resources.resource import Resource
from hostmuster.resources.unit import Unit

ITEM = Item("sleeper", roles=frozenset({"worker"}))

_UNIT = b"""[Unit]
Description=MARKER-body-4711

[Service]
ExecStart=/bin/sleep infinity
EnvironmentFile=/etc/sleeper.env

[Install]
WantedBy=multi-user.target
"""


def resources(host: Host) -> Iterator[Resource]:
    """A unit with a file that owes it a restart."""
    yield File("/etc/sleeper.env", b"BODY=MARKER-body-4711\n", "0640", restarts=("sleeper.service",))
    yield File("/etc/systemd/system/sleeper.service", _UNIT, restarts=("sleeper.service",))
    yield Unit("sleeper.service")


def effects(host: Host) -> Iterator[Effect]:
    """None."""
    yield from ()
