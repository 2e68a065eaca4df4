"""Five services are installed, start at boot and run."""

from __future__ import annotations

from collections.abc import Iterator

from hostmuster.item import Answer, Effect, Item, Seen
from hostmuster.model.fleet import Host
from hostmuster.resources.file import File
from hostmuster.resources.unit import Unit
from hostmuster.template import Declared, Templated

ITEM = Item("services")
UNITS = {number: f"bench-{number}.service" for number in range(1, 6)}


def resources(host: Host) -> Iterator[Declared]:
    """Their unit files, which owe a restart when they change, and their units."""
    for number, unit in UNITS.items():
        values = {"server": host.name, "address": host.address, "number": number}
        file = File(f"/etc/systemd/system/{unit}", b"", restarts=(unit,), lint="systemd-unit")
        yield Templated(file, "bench.service.j2", values)
    yield from (Unit(unit) for unit in UNITS.values())


def effects(host: Host) -> Iterator[Effect]:
    """Each has a process."""
    yield Effect("they run", ("systemctl", "show", "--property", "MainPID", "--", *UNITS.values()), _running)


def _running(answer: Answer) -> Seen:
    pids = [line.partition("=")[2] for line in answer.output.splitlines() if line.startswith("MainPID=")]
    running = [pid for pid in pids if pid != "0"]
    return Seen(len(running) == len(UNITS), f"{len(running)} of {len(UNITS)} run")
