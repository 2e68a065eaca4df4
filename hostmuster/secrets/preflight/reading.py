"""What each unit of a fleet is to have of the secrets that the replicas of a service share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.model.fleet import Fleet
from hostmuster.secrets.preflight.environment import Environment
from hostmuster.secrets.preflight.finding import OF_KIND, Line
from hostmuster.secrets.preflight.process import Way
from hostmuster.secrets.reader import readers_of
from hostmuster.secrets.reference import name_of


@dataclass(frozen=True)
class Reading:
    """One value that a host's unit gets from the generation: as a variable or as a credential of that name."""

    host: str
    unit: str
    line: Line
    way: Way
    name: str
    reference: str

    @property
    def where(self) -> str:
        """For a person."""
        return f"{self.host}, {self.unit}, {self.name}"


def readings(fleet: Fleet, replicas: Sequence[Environment], kinds: Mapping[str, str]) -> list[Reading]:
    """Of the secrets by which K1 goes: wherever in the fleet they are read, so renderers as well as backends (K7)."""
    shared = {name for one in replicas for name in one.secrets if kinds.get(name) in OF_KIND}
    return [one for one in _all(fleet, kinds) if name_of(one.reference) in shared]


def _all(fleet: Fleet, kinds: Mapping[str, str]) -> Iterator[Reading]:
    for host in fleet.hosts.values():
        for reader in readers_of(host).values():
            for way, given in (("value", reader.env), ("file", reader.files)):
                for name, reference in given.items():
                    if line := OF_KIND.get(kinds.get(name_of(reference), "")):
                        yield Reading(host.name, reader.unit, line, way, name, reference)
