"""ASSET_STORAGE_DRIVER and what belongs to it: one storage that all replicas see (K1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hostmuster.errors import Problem
from hostmuster.secrets.preflight.environment import Environment

DRIVER = "ASSET_STORAGE_DRIVER"
SHARED = "OBJECT_STORAGE_SHARED_VOLUME"

_REMEDY = f"{DRIVER}=s3 with the same S3_* everywhere, or {SHARED}=true on a volume that all of them mount"

_VOLUME = "name it under secrets.shared_volumes, by the environment file's name: docs/preflight.md"


def wrong_with(replicas: Sequence[Environment]) -> Iterator[tuple[str, Problem]]:
    """What keeps them from seeing one another's files, of what is declared, by host; that a volume is shared, they must
    show."""
    for one in replicas:
        driver = one.values.get(DRIVER, "").strip().lower()
        if driver.startswith("memory"):
            yield one.host, Problem(one.where(DRIVER), "files in one process's memory", _REMEDY)
        elif driver != "s3" and not one.switch(SHARED):
            what = (
                "a storage that is not declared to be shared" if driver else "not set: files stay on each host's disk"
            )
            yield one.host, Problem(one.where(DRIVER), what, _REMEDY)
        elif driver == "s3" and not any(name.startswith("S3_") for name in {*one.values, *one.given}):
            yield one.host, Problem(one.where(DRIVER), "s3, and no S3_* says where that is", _REMEDY)
        elif driver != "s3" and one.volume is None:
            what = "a shared volume, and nobody says which folder that is: it cannot be shown"
            yield (
                one.host,
                Problem(one.where(SHARED), what, _VOLUME),
            )
    yield from unequal(replicas, [DRIVER, SHARED, *_s3(replicas)])


def unequal(replicas: Sequence[Environment], variables: Sequence[str]) -> Iterator[tuple[str, Problem]]:
    """The variables that are not the same on all replicas, each told against the first one. Values are not shown."""
    for variable in variables:
        first = replicas[0]
        for other in replicas[1:]:
            if other.values.get(variable) != first.values.get(variable):
                what = (
                    f"not what it is on {first.host}"
                    if variable in other.values
                    else f"not set, as it is on {first.host}"
                )
                yield other.host, Problem(other.where(variable), what, "declare it once, for the fleet or the role")


def _s3(replicas: Sequence[Environment]) -> list[str]:
    return sorted({name for one in replicas for name in one.values if name.startswith("S3_")})
