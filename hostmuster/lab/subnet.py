"""The addresses of a lab: its own /24 of 10.213.0.0/16 and its own ULA prefix."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from hostmuster.errors import Refused

FIRST_HOST = 11
LAST_HOST = 254
DEFAULT_LAB = "lab"
ALL_LABS = ipaddress.IPv4Network("10.213.0.0/16")


@dataclass(frozen=True)
class Subnet:
    """The network of lab number `slot` (0 to 255; 0 is the default lab)."""

    slot: int

    @property
    def bridge(self) -> str:
        """Where the lab's package cache and clock answer: 10.213.SLOT.1."""
        return self.at(1)

    @property
    def controller(self) -> str:
        """The machine's own address in the lab: 10.213.SLOT.2."""
        return self.at(2)

    @property
    def link(self) -> str:
        """The one network interface that the lab adds to the machine."""
        return f"hmlab{self.slot}"

    @property
    def v4(self) -> str:
        """The lab's IPv4 network."""
        return f"10.213.{self.slot}.0/24"

    @property
    def v6(self) -> str:
        """The lab's IPv6 network."""
        return f"fd00:213:{self.slot:x}::/64"

    def at(self, number: int) -> str:
        """The IPv4 address with this last number."""
        return f"10.213.{self.slot}.{number}"

    def v6_at(self, number: int) -> str:
        """The IPv6 address whose last group reads like the IPv4 address's last number."""
        return f"fd00:213:{self.slot:x}::{number}"

    @classmethod
    def holding(cls, address: str) -> Subnet:
        """The lab network that an address lies in; Refused for an address outside 10.213.0.0/16."""
        place = _parse(address)
        if place is None or place not in ALL_LABS:
            raise Refused(
                f"{address} is no address of a lab",
                where="lab",
                remedy=f"a lab's hosts have addresses in {ALL_LABS}, 10.213.0.{FIRST_HOST} and on for the first",
            )
        return cls(place.packed[2])

    def number(self, address: str) -> int:
        """The last number of a host's address; Refused for one that the lab cannot give."""
        place = _parse(address)
        if place is None or place not in ipaddress.IPv4Network(self.v4):
            raise Refused(
                f"{address} is not in this lab's network {self.v4}",
                where="lab",
                remedy=f"give its hosts addresses from {self.at(FIRST_HOST)} on",
            )
        number = place.packed[3]
        if not FIRST_HOST <= number <= LAST_HOST:
            raise Refused(
                f"{address} is kept for the lab itself",
                where="lab",
                remedy=f"take one from {self.at(FIRST_HOST)} to {self.at(LAST_HOST)}",
            )
        return number


def _parse(address: str) -> ipaddress.IPv4Address | None:
    try:
        return ipaddress.IPv4Address(address)
    except ValueError:
        return None
