"""The roster: which machines a lab of N hosts has, given the hosts its fleet's file declares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hostmuster.errors import Refused
from hostmuster.lab.folder import LabFolder
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import LAST_HOST


def roster(declared: Sequence[Machine], count: int | None = None) -> tuple[Machine, ...]:
    """The first `count` declared machines; beyond them more of the last one's kind, names and addresses counted on.

    Without a count, all that are declared. Refused for none at all, and for more than the lab's /24 has room for.
    """
    wanted = len(declared) if count is None else count
    if wanted < 1 or not declared:
        raise Refused("a lab needs at least one host", where="lab", remedy="hostmuster lab.up --hosts 4")
    machines = list(declared[:wanted])
    while len(machines) < wanted:
        machines.append(_next(machines))
    return tuple(machines)


def _next(machines: Sequence[Machine]) -> Machine:
    last = machines[-1]
    stem, number = _split(last.name)
    taken = {machine.name for machine in machines}
    while f"{stem}{number}" in taken:
        number += 1
    network = last.address.rsplit(".", 1)[0]
    highest = max(int(machine.address.rsplit(".", 1)[1]) for machine in machines)
    if highest >= LAST_HOST:
        raise Refused(
            f"the lab's network has no address after {network}.{highest}", where="lab", remedy="ask for fewer hosts"
        )
    return replace(last, name=f"{stem}{number}", address=f"{network}.{highest + 1}")


def _split(name: str) -> tuple[str, int]:
    found = re.fullmatch(r"(.*?)(\d+)", name)
    return (found.group(1), int(found.group(2)) + 1) if found else (f"{name}-", 2)


def present(lab: str) -> tuple[Machine, ...]:
    """The machines that a lab has now, empty when it is not up: the hosts of the fleet of that name."""
    record = LabFolder(lab).read()
    return record.machines if record else ()
