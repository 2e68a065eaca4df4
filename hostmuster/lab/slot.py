"""The slot of a lab: which /24 of 10.213.0.0/16 it owns."""

from __future__ import annotations

from hostmuster.errors import Refused
from hostmuster.lab.folder import LabFolder, Record, all_labs
from hostmuster.lab.subnet import DEFAULT_LAB


def claim(folder: LabFolder) -> Record:
    """The lab's record, made with a free slot where there is none. The caller holds the machine's lock."""
    record = folder.read()
    if record is None:
        record = Record(slot=0 if folder.name == DEFAULT_LAB else _free())
        folder.write(record)
    return record


def _free() -> int:
    records = [LabFolder(name).read() for name in all_labs()]
    taken = {0, *(record.slot for record in records if record)}
    for slot in range(1, 256):
        if slot not in taken:
            return slot
    raise Refused("255 labs are up: no network is left", where="lab", remedy="take some down with lab.down --name NAME")
