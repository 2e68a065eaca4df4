"""What the replicas of a service are seen to do with a secret, and what their next starts will."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from gevent.pool import Pool

from hostmuster.effects.secrets import runs_with_current
from hostmuster.engine.connection import Connection, connections
from hostmuster.engine.opening import Opening
from hostmuster.errors import HostmusterError
from hostmuster.model.fleet import Host
from hostmuster.onhost.answers import Answers
from hostmuster.onhost.program import line
from hostmuster.secrets.generation import IDENTITY, Held
from hostmuster.secrets.halting import is_held
from hostmuster.secrets.issuer import Issuer, served
from hostmuster.secrets.reader import CURRENT, readers_of
from hostmuster.secrets.ring import Serves
from hostmuster.secrets.rotation.replica import Content, Replica

BEFORE = "an earlier one"
"""What a process uses that was started before what it reads last changed."""


@dataclass(frozen=True)
class Seen(Generic[Content]):
    """The replicas, and by host why nothing was seen there; `excluded`: those that are left out."""

    replicas: tuple[Replica[Content], ...]
    why: Mapping[str, str]
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Running(Generic[Content]):
    content: Content | None
    for_s: float = 0.0
    why: str = ""


def look(opening: Opening, name: str, issuer: Issuer) -> Seen[Serves]:
    """A ring. One exec a host that has it: its generation, and its process by what it publishes and signs."""

    def asked(host: Host, _units: Sequence[str]) -> list[str]:
        return [line("probe", "served", *issuer.question(host))]

    def judged(answers: Answers, _disk: Serves | None, _units: Sequence[str]) -> _Running[Serves]:
        seen = served(answers["served"])
        return _Running(seen.serves, seen.for_s, "" if seen.serves else seen.why)

    return _look(opening, name, asked, judged, lambda held: held.rings.get(name))


def look_at_value(opening: Opening, name: str) -> Seen[str]:
    """Any other value. One exec a host: its generation, and whether its services were started since theirs changed."""

    def asked(_host: Host, units: Sequence[str]) -> list[str]:
        return [line("probe", f"runs{at}", *runs_with_current(unit).ask) for at, unit in enumerate(units)]

    def judged(answers: Answers, disk: str | None, units: Sequence[str]) -> _Running[str]:
        seen = [runs_with_current(unit).judge(answers[f"runs{at}"]) for at, unit in enumerate(units)]
        if any(one.ok is False for one in seen):
            return _Running(BEFORE)
        down = [one.seen for one in seen if one.ok is None]
        return _Running(None if down else disk, why="; ".join(down))

    return _look(opening, name, asked, judged, lambda held: held.values.get(name))


def _look(
    opening: Opening,
    name: str,
    asked: Callable[[Host, Sequence[str]], list[str]],
    judged: Callable[[Answers, Content | None, Sequence[str]], _Running[Content]],
    read: Callable[[Held], Content | None],
) -> Seen[Content]:
    units = {host.name: units_of(host, name) for host in opening.hosts}
    ways = connections([host for host in opening.hosts if units[host.name]], opening.access())

    def one(way: Connection) -> tuple[Replica[Content], str]:
        mine = units[way.host.name]
        identity = line("probe", "held", "cat", f"{CURRENT}/{IDENTITY}")
        stopped = line("probe", "stopped", *is_held(mine))
        try:
            answers = way.run("\n".join([identity, stopped, *asked(way.host, mine)]))
        except HostmusterError as error:
            return Replica(way.host.name, None, None, reachable=False), error.what
        finally:
            way.close()
        held = Held.parse(answers["held"].output) if answers["held"].status == 0 else None
        disk = read(held) if held else None
        seen, is_stopped = judged(answers, disk, mine), answers["stopped"].status == 0
        return Replica(way.host.name, disk, seen.content, seen.for_s, held=is_stopped), seen.why

    found = Pool(max(len(ways), 1)).map(one, ways.values())
    out = [host.name for host in map(opening.fleet.hosts.__getitem__, opening.job.exclude) if units_of(host, name)]
    replicas = (
        *(replica for replica, _ in found),
        *(Replica[Content](one, None, None, reachable=False) for one in out),
    )
    return Seen(replicas, {replica.name: why for replica, why in found if why}, tuple(out))


def units_of(host: Host, name: str) -> tuple[str, ...]:
    """The services of a host that are given the secret."""
    return tuple(dict.fromkeys(one.unit for one in readers_of(host).values() if name in one.secrets))
