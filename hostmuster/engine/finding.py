"""Hosts compared with each other: what those of a role have not alike is a finding (H10, H11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.engine.expansion import named
from hostmuster.engine.visit import Visit
from hostmuster.model.fleet import Host
from hostmuster.resources.alike import Alike
from hostmuster.resources.resource import Observation

Values = Mapping[str, str]
"""What each host says of one thing, by host."""


@dataclass(frozen=True)
class Looked:
    """A host that was looked at: what is compared of it, what it answered, and the revision applied there last."""

    host: Host
    alike: tuple[Alike, ...]
    seen: Observation
    applied: str


def looked(visits: Iterable[Visit]) -> list[Looked]:
    """Of a run's hosts those that could be looked at; the others are not compared."""
    return [Looked(v.host, v.alike, v.seen, v.state.applied) for v in visits if v.seen is not None and v.state]


@dataclass(frozen=True)
class Finding:
    """`groups`: each value with its hosts, most hosts first. `role` None: it is about all hosts of the run."""

    role: str | None
    thing: str
    groups: tuple[tuple[str, tuple[str, ...]], ...]

    def __str__(self) -> str:
        """`worker-2: /opt/x: sha256 abc (1 host), others sha256 def (2: worker-1, worker-3)`; a tie names all."""
        (most, many), *fewer = self.groups
        if len(fewer) == 1 and len(fewer[0][1]) < len(many):
            ((value, few),) = fewer
            count = f"{len(few)} host{'s' if len(few) > 1 else ''}"
            return f"{named(few)}: {self.thing}: {value} ({count}), others {most} ({len(many)}: {named(many)})"
        told = (f"{value} ({len(hosts)}: {named(hosts)})" for value, hosts in self.groups)
        return f"{self.thing}: {', '.join(told)}"

    def document(self) -> dict[str, object]:
        """Its part of the run's document."""
        values = [{"value": value, "hosts": list(hosts)} for value, hosts in self.groups]
        return {"role": self.role, "thing": self.thing, "values": values, "text": str(self)}


def findings(hosts: Sequence[Looked], *, whole: bool = True) -> list[Finding]:
    """What hosts of a role have not alike, each thing once.

    `whole`: all items were looked at, so that the revision applied last is compared too, over all roles: a host that
    missed an apply is behind whatever it is for.
    """
    found: dict[tuple[str, object], Finding] = {}
    for role in dict.fromkeys(role for one in hosts for role in one.host.roles):
        for thing, values in _things(one for one in hosts if role in one.host.roles).items():
            for finding in _compared(role, thing, values):
                found.setdefault((finding.thing, finding.groups), finding)
    revisions = {one.host.name: one.applied or "none" for one in hosts}
    return [*(_compared(None, "revision applied last", revisions) if whole else ()), *found.values()]


def _things(hosts: Iterable[Looked]) -> Mapping[str, Values]:
    things: dict[str, dict[str, str]] = {}
    for host in hosts:
        for one in host.alike:
            said = one.say(host.seen[one.question])
            if said is not None:
                name = f"{one.name} (Debian {host.host.debian})" if one.per_release else one.name
                things.setdefault(name, {})[host.host.name] = said
    return things


def _compared(role: str | None, thing: str, values: Values) -> Iterator[Finding]:
    groups: dict[str, list[str]] = {}
    for host, value in values.items():
        groups.setdefault(value, []).append(host)
    if len(groups) > 1:
        by_size = sorted(groups.items(), key=lambda group: -len(group[1]))
        yield Finding(role, thing, tuple((value, tuple(hosts)) for value, hosts in by_size))
