"""A machine of the lab: what one bare host is called, where it answers and which Debian it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hostmuster.errors import Refused
from hostmuster.lab.subnet import Subnet

SUITES = {12: "bookworm", 13: "trixie"}


@dataclass(frozen=True)
class Machine:
    """One host as the lab is to make it. `debian` is 12 or 13; the address lies in the lab's own /24."""

    name: str
    address: str
    debian: int = 12
    roles: tuple[str, ...] = ()

    @property
    def suite(self) -> str:
        """Debian's code name of the release it runs."""
        return SUITES[self.debian]

    def is_same(self, other: Machine) -> bool:
        """Whether a disk made for the other one can stay: roles are the fleet's affair, not the machine's."""
        return (self.name, self.address, self.debian) == (other.name, other.address, other.debian)


def some(machines: Sequence[Machine]) -> Sequence[Machine]:
    """The machines; Refused when there are none."""
    if not machines:
        raise Refused("a lab needs at least one host", where="lab", remedy="hostmuster lab.up --hosts 4")
    return machines


def checked(machines: Sequence[Machine], subnet: Subnet) -> tuple[Machine, ...]:
    """The machines, each with an address of the lab's own; Refused when one has not, or two are alike."""
    numbers = {subnet.number(machine.address) for machine in some(machines)}
    if len(numbers) != len(machines) or len({machine.name for machine in machines}) != len(machines):
        raise Refused("two hosts of the lab have one name or one address", where="lab", remedy="make them differ")
    return tuple(machines)
