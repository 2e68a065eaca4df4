"""A host's checklist as it is gone through, line by line, and how it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from hostmuster.tasks.events import Json, ListLine, listed, text_of
from hostmuster.tasks.exposure import exposure_lines
from hostmuster.tasks.host_lines import STATUS, STATUS_WIDTH, printable
from hostmuster.tasks.host_report import HostReport, counted


def checklist_line(line: ListLine) -> Iterator[Text]:
    """A line of the checklist; below it what was seen."""
    word, style = STATUS.get(line.status, (line.status, ""))
    name, text = printable(line.item), printable(line.text)
    yield Text.assemble((word.ljust(STATUS_WIDTH), style), "  ", (name, "bold"), "  ", text)
    for seen in line.seen.splitlines():
        yield Text(" " * (STATUS_WIDTH + 4) + printable(seen), "dim")


def count_lines(lines: Sequence[ListLine], seconds: float) -> str:
    """The checklist in one line: `worker-1, 5 lines: 4 ok, 0 failed, 1 not run in 9.8 s`."""
    counts = Counter(line.status for line in lines)
    told = f"{counts['ok']} ok, {counts['failed']} failed, {counts['not_run']} not run"
    return f"{lines[0].host}, {counted(len(lines), 'line')}: {told} in {seconds:.1f} s"


def closing_lines(hosts: tuple[HostReport, ...], document: Mapping[str, Json]) -> Iterator[Text]:
    """Why a host failed as a whole; what an apply would now change on the other members; what a host knew."""
    for host in hosts:
        if host.error:
            yield Text(printable(f"{host.name}: {host.error}"), "bold red")
    others = document.get("others")
    for name, differences in (others if isinstance(others, Mapping) else {}).items():
        told = "; ".join(text_of(one) or "" for one in listed(differences))
        yield Text(printable(f"{name} differs now, hostmuster apply mends it: {told}"))
    yield from exposure_lines(document)
