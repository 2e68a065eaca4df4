"""The table of K1 by what processes run with: the same on all replicas, and what the store and the fleet file say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from hostmuster.errors import Problem
from hostmuster.secrets.preflight import declared_keys
from hostmuster.secrets.preflight.environment import Environment
from hostmuster.secrets.preflight.finding import Finding, line_of, missing
from hostmuster.secrets.preflight.observed import Looked, Wanted
from hostmuster.secrets.preflight.process import Process
from hostmuster.secrets.preflight.reading import Reading

_RESTART: Final = "hostmuster apply, which restarts it where that is owed; else restart it"
_BY_HAND: Final = "nobody declares it: look for a drop-in made by hand (systemctl cat), declare it or take it out"
_OFF: Final = ("false", "0", "no", "off", "")


def given(service: str, readings: Sequence[Reading], seen: Mapping[str, Looked], wanted: Wanted) -> Iterator[Finding]:
    """What units get from secrets: from the host's own generation, and the same wherever the secret is read."""
    first: dict[str, tuple[str, Reading]] = {}
    for one in readings:
        process = _running(seen, one.host, one.unit)
        if process is None:
            continue
        digest = process.has(one.way, one.name)
        expected = wanted.of(seen[one.host].held, one.reference)
        if digest is None:
            what = "its process was not given it"
        elif expected is not None and digest != expected:
            what = "its process has another value than the generation"
        elif digest != first.setdefault(one.reference, (digest, one))[0]:
            what = f"its process has another value than {first[one.reference][1].where}"
        else:
            continue
        yield missing(one.line, service, one.host, Problem(one.where, what, _RESTART))


def declared(
    service: str, replicas: Sequence[Environment], seen: Mapping[str, Looked], wanted: Wanted
) -> Iterator[Finding]:
    """What units get from their environment file."""
    for one in replicas:
        for unit in one.units:
            process = _running(seen, one.host, unit)
            for variable, value in one.values.items() if process else ():
                line = line_of(variable)
                if line is None or process is None or process.values.get(variable) == wanted.digest(value.encode()):
                    continue
                what = "has another value" if variable in process.values else "does not have it"
                problem = Problem(one.where(variable), f"the process of {unit} {what}", _RESTART)
                yield missing(line, service, one.host, problem)


def by_hand(
    service: str, replicas: Sequence[Environment], seen: Mapping[str, Looked], wanted: Wanted
) -> Iterator[Finding]:
    """What processes have though nobody declares it: the same everywhere, and nothing that no replica may have (K2)."""
    first: dict[tuple[str, str], tuple[str, str | None]] = {}
    names = sorted(
        {name for one in replicas for unit in one.units if (p := _running(seen, one.host, unit)) for name in p.values}
    )
    for one in replicas:
        for unit in one.units:
            process = _running(seen, one.host, unit)
            if process is None:
                continue
            yield from _never(service, one, unit, process, wanted)
            for name in names:
                line = line_of(name)
                if line is None or name in one.values or name in one.given:
                    continue
                digest = process.values.get(name)
                host, other = first.setdefault((unit, name), (one.host, digest))
                if digest != other:
                    what = f"the process of {unit} has it otherwise than on {host}"
                    yield missing(line, service, one.host, Problem(f"{one.host}, {name}", what, _BY_HAND))


def _never(service: str, one: Environment, unit: str, process: Process, wanted: Wanted) -> Iterator[Finding]:
    inline, auto = process.values.get(declared_keys.INLINE), process.values.get(declared_keys.AUTO)
    if inline is not None and declared_keys.FILE in process.values:
        what = f"in the process of {unit} it shadows {declared_keys.FILE}: the inline key wins (K2)"
        problem = Problem(f"{one.host}, {declared_keys.INLINE}", what, _BY_HAND)
        yield missing("signing key", service, one.host, problem)
    if auto is not None and auto not in {wanted.digest(word.encode()) for word in _OFF}:
        what = f"the process of {unit} would make a signing key of its own"
        yield missing("signing key", service, one.host, Problem(f"{one.host}, {declared_keys.AUTO}", what, _BY_HAND))


def _running(seen: Mapping[str, Looked], host: str, unit: str) -> Process | None:
    looked = seen.get(host)
    process = looked.processes.get(unit) if looked else None
    return process if process and process.running else None
