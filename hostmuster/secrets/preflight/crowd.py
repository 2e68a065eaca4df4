"""A service that runs more than once: its replicas, what each unit is to have, and where they leave marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.model.fleet import Fleet
from hostmuster.secrets.preflight import object_storage, redis, volume
from hostmuster.secrets.preflight.environment import Environment
from hostmuster.secrets.preflight.mark import Marks
from hostmuster.secrets.preflight.reading import Reading, readings
from hostmuster.secrets.reader import issuers_of


@dataclass(frozen=True)
class Crowd:
    """`units`: by host, what is asked there. `signers`: by ring and host, the unit that signs with it."""

    name: str
    replicas: tuple[Environment, ...]
    readings: tuple[Reading, ...]
    units: Mapping[str, tuple[str, ...]]
    signers: Mapping[str, Mapping[str, str]]
    marks: tuple[Marks, ...]

    @classmethod
    def of(cls, fleet: Fleet, name: str, replicas: Sequence[Environment], kinds: Mapping[str, str], run: str) -> Crowd:
        """`run`: what no other run's marks are called."""
        read = tuple(readings(fleet, replicas, kinds))
        units: dict[str, dict[str, None]] = {one.host: dict.fromkeys(one.units) for one in replicas}
        for reading in read:
            units.setdefault(reading.host, {})[reading.unit] = None
        signers = dict(_signers(fleet, replicas))
        asked = {host: tuple(found) for host, found in units.items()}
        return cls(name, tuple(replicas), read, asked, signers, tuple(_marks(name, replicas, run)))

    @property
    def uses_s3(self) -> bool:
        """Whether its storage is one that is only asked for by the service itself."""
        return any(_s3(one) for one in self.replicas)


def _signers(fleet: Fleet, replicas: Sequence[Environment]) -> Iterator[tuple[str, Mapping[str, str]]]:
    rings = dict.fromkeys(ring for one in replicas for ring in issuers_of(fleet.hosts[one.host]))
    for ring in rings:
        issuers = {one.host: issuers_of(fleet.hosts[one.host]).get(ring) for one in replicas}
        units = {one.host: one.units for one in replicas}
        found = {host: issuer.unit for host, issuer in issuers.items() if issuer and issuer.unit in units[host]}
        if found:
            yield ring, found


def _marks(name: str, replicas: Sequence[Environment], run: str) -> Iterator[Marks]:
    mounted = {one.host: (one.units[0], one.volume) for one in replicas if one.units and one.volume and not _s3(one)}
    if mounted:
        where = {host: f"{host}, {folder}" for host, (_, folder) in mounted.items()}
        asks = {host: volume.asking(unit, folder, run) for host, (unit, folder) in mounted.items()}
        yield Marks(name, "object storage", where, asks, "shared volume")
    counting = {one.host: one.units[0] for one in replicas if one.units and "REDIS_URL" in {*one.values, *one.given}}
    if counting:
        where = {host: f"{host}, REDIS_URL" for host in counting}
        asks = {host: redis.asking(unit, run) for host, unit in counting.items()}
        yield Marks(name, "Redis", where, asks, "Redis")


def _s3(one: Environment) -> bool:
    return one.values.get(object_storage.DRIVER, "").strip().lower() == "s3"
