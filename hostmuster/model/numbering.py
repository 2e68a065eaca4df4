"""What further hosts are called, and their addresses: each counts on from a host that is there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count


def names_after(name: str, taken: frozenset[str]) -> Iterator[str]:
    """worker-3, worker-4 and so on after worker-2; box-2 after box."""
    stem, _, number = name.rpartition("-")
    stem, begin = (stem, int(number)) if stem and number.isdigit() else (name, 1)
    return (further for n in count(begin + 1) if (further := f"{stem}-{n}") not in taken)


def addresses_after(address: str, taken: frozenset[str]) -> Iterator[str]:
    """The addresses after this one in its /24, but those that are taken."""
    network, _, last = address.rpartition(".")
    return (further for n in range(int(last) + 1, 255) if (further := f"{network}.{n}") not in taken)
