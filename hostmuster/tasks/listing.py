"""What `secrets.list` shows: the store's secrets, and which generation of them each host has."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hostmuster.errors import HostmusterError, Refused
from hostmuster.project import Project
from hostmuster.secrets.any_store import AnyStore
from hostmuster.tasks.engine import ENGINE, asked
from hostmuster.tasks.events import Failed, listed, text_of
from hostmuster.tasks.job import Options

Prints = Mapping[str, str | None]
Numbers = Mapping[str, int | None]
"""By host; None: it has none, or could not be asked."""
_ON = "hostmuster secrets.rollout"
_OPEN = {
    "published": "hostmuster secrets.rotate {name} --through goes on with it; step by step, secrets.promote is next",
    "promoted": "hostmuster secrets.rotate {name} --through goes on with it; step by step, secrets.retire is next",
    "revoked": "hostmuster secrets.revoke {name} ends it",
    "migrating": "hostmuster secrets.rotate {name} ends it",
}
"""The way on, by the phase of a secret that is being replaced."""


@dataclass(frozen=True)
class Hosts:
    """What hosts say of their generations. `without`: whom the fleet's is made without; `waits`: where services that
    read secrets wait, and why; `read`: whether any service of the fleet does."""

    numbers: Numbers = field(default_factory=dict)
    without: tuple[str, ...] = ()
    waits: Mapping[str, str] = field(default_factory=dict)
    read: bool = True


def fingerprints(store: AnyStore) -> tuple[Prints, str]:
    """By name, after the whole store was verified; where no identity opens it, those of public halves, and why."""
    why = ""
    try:
        store.verify()
    except Refused as error:
        if type(error) is not Refused:  # tampered with: that is no list to show
            raise
        why = str(error)
    public = {name for name, one in store.entries.items() if one.public}
    return {name: store.fingerprint(name) if not why or name in public else None for name in store.names()}, why


def generations(project: Project, fleet: str, command: Sequence[str] = ENGINE) -> tuple[Hosts, str]:
    """What the hosts say; where nobody was asked, none and the reason. Raises HostmusterError when interrupted."""
    if not project.fleet_file(fleet).is_file():
        return Hosts(), f"there is no {project.fleet_file(fleet)}"
    end = asked(Options(fleet=fleet, project=str(project.root)).job("generations"), command)
    if isinstance(end, Failed) and end.interrupted:
        raise HostmusterError("interrupted: the hosts were not asked, or not all of them")
    if isinstance(end, Failed):
        return Hosts(), end.text
    told = {name: part for name, part in end.document.items() if isinstance(part, Mapping)}
    numbers = {name: one if isinstance(one, int) else None for name, one in told["hosts"].items()}
    most = newest(numbers)
    # Of those who have it: a host that was left behind knows no better.
    without = {
        text_of(one) or "" for host, names in told["without"].items() if numbers[host] == most for one in listed(names)
    }
    waits = {name: text_of(why) or "" for name, why in told["waits"].items()}
    return Hosts(numbers, tuple(sorted(without)), waits, end.document.get("read") is not False), ""


def as_json(store: AnyStore, prints: Prints, hosts: Hosts) -> str:
    """One document; the fleet's generation is the newest that any host has. `without`, `waits`: where there is one."""
    rows = {
        name: {"kind": store.entries[name].kind.name, "fingerprint": shown, "phase": store.entries[name].phase}
        for name, shown in prints.items()
    }
    more = {"without": list(hosts.without), "waits": dict(hosts.waits)}
    told = {"generation": newest(hosts.numbers), "secrets": rows, "hosts": dict(hosts.numbers)}
    return json.dumps(told | {name: part for name, part in more.items() if part}, indent=2)


def as_table(store: AnyStore, prints: Prints, hosts: Hosts) -> str:
    """A row a secret; below them how the hosts stand."""
    rows = [("NAME", "KIND", "FINGERPRINT", "PHASE")]
    rows += [(name, one.kind.name, prints[name] or "-", one.phase or "") for name, one in store.entries.items()]
    wide = [max(len(row[column]) for row in rows) for column in range(3)]
    shown = ["  ".join([*(f"{row[at]:<{wide[at]}}" for at in range(3)), row[3]]).rstrip() for row in rows]
    turning = filter(None, (phase_told(name, one.phase) for name, one in store.entries.items()))
    return "\n".join([*shown, *(["", *standing(hosts), *turning] if hosts.numbers else [])])


def phase_told(name: str, phase: str | None) -> str | None:
    """How a secret that is being replaced stands, with the way on; None at rest."""
    return f"{name} is {phase}: {_OPEN[phase].format(name=name)}" if phase else None


def newest(hosts: Numbers) -> int | None:
    """The fleet's generation; None where no host is known to have one."""
    return max((number for number in hosts.values() if number is not None), default=None)


def standing(hosts: Hosts) -> Iterator[str]:
    """Who has what, who was left out, what waits, and the way on where hosts differ."""
    if not hosts.read:
        yield "no host of the fleet reads secrets, so there is no generation to roll out: docs/rollout.md"
        return
    most = newest(hosts.numbers)
    unknown = [name for name, number in hosts.numbers.items() if number is None]
    known = {name: number for name, number in hosts.numbers.items() if number is not None}
    counts = Counter(known.values())
    if len(counts) == 1:
        yield f"{', '.join(known)}: generation {most}"
    elif counts:
        behind = [name for name, number in known.items() if number != most]
        told = "; ".join(f"{name} has generation {known[name]}" for name in behind)
        yield f"{told}, the others {most}: {_ON}"
    if unknown:
        yield f"{', '.join(unknown)}: no answer, or no generation yet: hostmuster status tells, {_ON} brings it"
    if hosts.without:
        yield f"made without {', '.join(hosts.without)}: once it is back, {_ON} has it catch up and serve"
    yield from (f"{name}: services that read secrets wait: {why}" for name, why in hosts.waits.items())
