"""How the hosts stand after a run: the result's document (or, without one, the events) as a few values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hostmuster.tasks.events import ItemDone, Json, item_done, listed, text_of


@dataclass(frozen=True)
class HostReport:
    """One host: whether it answered, why it failed as a whole, and its items in the order of the checklist."""

    name: str
    reachable: bool
    error: str | None
    items: tuple[ItemDone, ...]


@dataclass(frozen=True)
class Unlike:
    """What hosts have not alike, in words; `role` None: hosts of all roles."""

    role: str | None
    text: str


def unlikes(document: Mapping[str, Json] | None) -> tuple[Unlike, ...]:
    """The findings between hosts that a result's document tells of."""
    found = listed((document or {}).get("findings"))
    return tuple(Unlike(text_of(f.get("role")), text_of(f.get("text")) or "") for f in found if isinstance(f, Mapping))


def host_reports(document: Mapping[str, Json] | None, seen: Iterable[ItemDone]) -> tuple[HostReport, ...]:
    """The hosts of a result's document, each item with the reason its event gave.

    Without a document (the run broke off) they are what the events told. Empty when the document is not
    about items, as that of `status`.
    """
    events = {(item.host, item.item): item for item in seen}
    if document is None:
        names = dict.fromkeys(host for host, _ in events)
        return tuple(HostReport(name, True, None, of_host(name, events)) for name in names)
    hosts = document.get("hosts")
    if not isinstance(hosts, Mapping):
        return ()
    return tuple(
        host_report(name, fields, events)
        for name, fields in hosts.items()
        if isinstance(fields, Mapping) and isinstance(fields.get("items"), Mapping)
    )


def of_host(name: str, events: Mapping[tuple[str, str], ItemDone]) -> tuple[ItemDone, ...]:
    """One host's items out of all events."""
    return tuple(item for (host, _), item in events.items() if host == name)


def host_report(name: str, fields: Mapping[str, Json], events: Mapping[tuple[str, str], ItemDone]) -> HostReport:
    """One host of the document."""
    items = fields.get("items")
    assert isinstance(items, Mapping)  # noqa: S101 - the caller chose such hosts
    done = []
    for item, state in items.items():
        stated = item_done(name, state if isinstance(state, Mapping) else {}, item)
        event = events.get((name, item))
        done.append(replace(stated, reason=stated.reason or (event.reason if event else None)))
    return HostReport(name, fields.get("reachable") is not False, text_of(fields.get("error")), tuple(done))


def summary(hosts: Sequence[HostReport], seconds: float, unlike: int = 0) -> str:
    """One line: `4 hosts, 5 items: 3 changed, 17 ok, 0 failed in 2.1 s`. `unlike`: findings between hosts."""
    counts = Counter(item.status for host in hosts for item in host.items)
    items = {item.item for host in hosts for item in host.items}
    parts = [f"{counts['differs']} differ" if counts["differs"] else f"{counts['changed']} changed"]
    if counts["differs"] and counts["changed"]:
        parts.append(f"{counts['changed']} changed")
    parts += [f"{counts['ok']} ok", f"{counts['failed']} failed"]
    parts += [f"{counts[status]} {word}" for status, word in REST.items() if counts[status]]
    unreachable = sum(not host.reachable for host in hosts)
    if unreachable:
        parts.append(f"{counted(unreachable, 'host')} unreachable")
    if unlike:
        parts.append(f"{unlike} not alike")
    return f"{counted(len(hosts), 'host')}, {counted(len(items), 'item')}: {', '.join(parts)} in {seconds:.1f} s"


REST = {"skipped": "skipped", "not_run": "not run"}


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 host, 2 hosts."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
