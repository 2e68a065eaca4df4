"""What the page shows first: what is wrong, said once for all hosts that have it, and how many stand how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from hostmuster.report.document import HostPart, ItemPart, Report, Status

ORDER: tuple[Status, ...] = ("failed", "differs", "changed", "skipped", "not_run", "ok")
"""From what needs somebody to what needs nobody."""
WORDS = {"ok": "ok", "changed": "changed", "differs": "differs", "failed": "failed", "skipped": "skipped"}
WORDS |= {"not_run": "not run", "none": "not for this host"}
WORDS_OF_HOSTS = WORDS | {"not_run": "not all run"}
SIGNS = {"ok": "✓", "changed": "↻", "differs": "≠", "failed": "✕", "skipped": "»", "not_run": "○", "none": ""}
"""A shape for each, so that nothing is told by colour alone."""


@dataclass(frozen=True)
class Place:
    """Where on the page a host, or an item of it, is told of."""

    host: str
    anchor: str


@dataclass(frozen=True)
class Trouble:
    """The same thing wrong on some hosts. `item` empty: with the hosts themselves."""

    item: str
    status: Status
    says: tuple[str, ...]
    places: tuple[Place, ...]


def anchor(report: Report, host: str, item: str | None = None) -> str:
    """A name of ours, since a host's or an item's own may hold anything."""
    number = f"h{list(report.hosts).index(host) + 1}"
    return number if item is None else f"{number}-{list(report.checklist).index(item) + 1}"


def worst(host: HostPart) -> Status:
    """How a host stands as a whole."""
    statuses = {item.status for item in host.items.values()}
    return (
        "failed"
        if host.error or (host.checks and host.checks.failed)
        else next((status for status in ORDER if status in statuses), "ok")
    )


def says(item: ItemPart) -> tuple[str, ...]:
    """What is to be said of an item that does not stand well: differences, effects that do not hold, the reason."""
    broken = [f"{one.name}: {one.seen}" for one in item.effects if one.ok is not True]
    reason = [] if item.reason is None or item.reason == "; ".join(broken) else [item.reason]
    return (*item.differences, *broken, *reason)


def troubles(report: Report, statuses: Sequence[Status]) -> list[Trouble]:
    """What stands so, one for all hosts of which the same is said; hosts that failed as a whole come first."""
    found: dict[tuple[str, Status, tuple[str, ...]], list[Place]] = {}
    for key, place in _one_by_one(report):
        if key[1] in statuses:
            found.setdefault(key, []).append(place)
    every = [Trouble(item, status, told, tuple(places)) for (item, status, told), places in found.items()]
    return sorted(every, key=lambda one: (one.item != "", ORDER.index(one.status)))


def _one_by_one(report: Report) -> Iterator[tuple[tuple[str, Status, tuple[str, ...]], Place]]:
    for name, host in report.hosts.items():
        if host.error:
            yield (
                ("", "failed", tuple(host.error.removeprefix(f"{name}: ").splitlines())),
                Place(name, anchor(report, name)),
            )
        for item, part in host.items.items():
            yield (item, part.status, says(part)), Place(name, anchor(report, name, item))
        for check, seen in host.complaints:
            yield (check, "failed", (seen,)), Place(name, anchor(report, name))


def counts(statuses: Iterator[Status]) -> list[tuple[Status, int]]:
    """How many stand how, those that need somebody first."""
    counted = Counter(statuses)
    return [(status, counted[status]) for status in ORDER if counted[status]]


def host_counts(report: Report) -> list[tuple[Status, int]]:
    """Of the hosts, each by its worst line."""
    return counts(worst(host) for host in report.hosts.values())


def line_counts(report: Report) -> list[tuple[Status, int]]:
    """Of all lines of all hosts."""
    return counts(item.status for host in report.hosts.values() for item in host.items.values())


def headline(report: Report) -> tuple[Status, str]:
    """The whole fleet in one sentence, and how it stands."""
    by_worst = dict(host_counts(report))
    hosts = len(report.hosts)
    failed, differ = by_worst.get("failed", 0), by_worst.get("differs", 0)
    bad = [f"{failed} failed"] if failed else []
    bad += [f"{differ} differ{'s' if differ == 1 else ''}"] if differ else []
    if bad:
        return "failed" if failed else "differs", f"Of {_hosts(hosts)}, {' and '.join(bad)}."
    if report.findings:
        return "differs", f"{_hosts(hosts)} as declared, but not alike."
    unrun = dict(line_counts(report)).get("not_run", 0)
    if unrun:
        lines = "1 line was" if unrun == 1 else f"{unrun} lines were"
        return "not_run", f"{_hosts(hosts)} as declared, as far as it was run: {lines} not."
    return "ok", f"{_hosts(hosts)} as declared."


def moment(at: float) -> str:
    """A time in seconds since 1970, to the millisecond: what two hosts do at once is told apart by that."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3] + " UTC"


def _hosts(count: int) -> str:
    return "1 host" if count == 1 else f"{count} hosts"
