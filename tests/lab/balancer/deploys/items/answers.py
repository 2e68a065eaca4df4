"""A service that answers GET and POST, and is ready or not as a file on its host says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from pydantic import BaseModel, ConfigDict

from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.resources.file import UNIT_FOLDER, File
from hostmuster.resources.package import Package
from hostmuster.resources.unit import Unit
from hostmuster.template import Declared

UNIT, PORT = "answers.service", 8080
_PROGRAM = Path(__file__).with_name("answering.py").read_bytes()
_UNIT = """\
[Unit]
Description=Answers, as revision {revision}
[Service]
ExecStart=/usr/bin/python3 /opt/answering.py {address} {port}
Restart=always
RestartSec=100ms
TimeoutStopSec=10s
[Install]
WantedBy=multi-user.target
"""


class Answers(BaseModel):
    """A revision that changes is a restart."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    revision: str = "1"


ITEM = Item("answers", roles=frozenset({"server"}), settings=Answers, serves=True)


def resources(host: Host) -> Iterator[Declared]:
    """The interpreter, the program, the unit."""
    revision = cast("Answers", host.settings(ITEM.name)).revision
    text = _UNIT.format(revision=revision, address=host.address, port=PORT)
    yield Package("python3")
    yield Package("curl")
    yield File("/opt/answering.py", _PROGRAM, restarts=(UNIT,))
    yield File(f"{UNIT_FOLDER}{UNIT}", text.encode(), restarts=(UNIT,), lint="systemd-unit")
    yield Unit(UNIT, ready=("curl", "-fsS", "-m", "2", f"http://{host.address}:{PORT}/health/live"))


def effects(host: Host) -> Iterator[Effect]:
    """None: what clients see is the tests' business."""
    yield from ()
