"""A machine of the lab: what one bare host is called, where it answers and which Debian it runs."""

from __future__ import annotations

from dataclasses import dataclass

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
