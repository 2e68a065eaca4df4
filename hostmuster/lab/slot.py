"""The slot of a lab: which /24 of 10.213.0.0/16 it owns."""

from __future__ import annotations

from hostmuster.errors import Refused
from hostmuster.lab.folder import LabFolder, Record, all_labs
from hostmuster.lab.subnet import DEFAULT_LAB, Subnet


def claim(folder: LabFolder, wanted: int | None) -> Record:
    """The lab's record, made where there is none: with the wanted slot, else with a free one.

    The caller holds the machine's lock. Refused when another lab has the wanted network, or this one has another.
    """
    record = folder.read()
    if record is None:
        record = Record(slot=_free(folder.name) if wanted is None else _unless_taken(wanted))
        folder.write(record)
    elif wanted not in (None, record.slot):
        raise Refused(
            f"its hosts were in {Subnet(record.slot).v4} and are now declared in 10.213.{wanted}.0/24",
            where=f"lab {folder.name}",
            remedy="take it down first: hostmuster lab.down",
        )
    return record


def _taken() -> dict[int, str]:
    records = {name: LabFolder(name).read() for name in all_labs()}
    return {record.slot: name for name, record in records.items() if record}


def _unless_taken(slot: int) -> int:
    owner = _taken().get(slot)
    if owner is not None:
        raise Refused(
            f"the network {Subnet(slot).v4} belongs to the lab {owner}",
            where="lab",
            remedy=f"take that one down (lab.down --fleet {owner}), or declare the hosts in another 10.213.x.0/24",
        )
    return slot


def _free(name: str) -> int:
    if name == DEFAULT_LAB:
        return _unless_taken(0)
    taken = _taken()
    # From above: a fleet's file that names its network itself will name a low one.
    for slot in range(255, 0, -1):
        if slot not in taken:
            return slot
    raise Refused("255 labs are up: no network is left", where="lab", remedy="take some down with lab.down")
