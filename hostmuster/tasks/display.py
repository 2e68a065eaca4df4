"""What a person sees of a run: its progress while it goes on, then how every host stands.

Imported only once the engine process has been started, since rich takes longer to import than the command
line may take to start.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hostmuster.tasks.events import Event, Failed, HostPhase, ItemDone, Json, ListLine, Result, Warned, listed, text_of
from hostmuster.tasks.host_report import HostReport, counted, host_reports, summary

STATUS = {
    "ok": ("ok", "green"),
    "changed": ("changed", "yellow"),
    "differs": ("differs", "magenta"),
    "failed": ("failed", "bold red"),
    "skipped": ("skipped", "dim"),
    "not_run": ("not run", "dim"),
}
STATUS_WIDTH = max(len(word) for word, _ in STATUS.values())


class Display:
    """Shows a run's events. Results go to standard output, or to standard error beside `--json`.

    `every_effect` shows the effects that hold, too (`verify`). A terminal gets one live line of progress,
    anything else a line for each phase of a host.
    """

    def __init__(self, *, json: bool, every_effect: bool = False) -> None:
        self._results = Console(stderr=json, highlight=False, markup=False, emoji=False, soft_wrap=True)
        self._progress = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
        self._live = self._progress.status("starting") if self._progress.is_terminal else None
        self._every_effect = every_effect
        self._items: list[ItemDone] = []
        self._document: Mapping[str, Json] | None = None
        self._failed = False
        self._listed: list[ListLine] = []
        if self._live:
            self._live.start()

    def show(self, event: Event) -> None:
        """Take one event of the engine."""
        match event:
            case HostPhase(host, phase, text):
                self._phase(Text(printable(f"{host}: {phase} {text}".rstrip())))
            case ItemDone():
                self._items.append(event)
            case ListLine():
                self._list(event)
            case Warned(text):
                self._progress.print(Text(printable(f"warning: {text}"), "yellow"))
            case Failed(text):
                self._failed = True
                self._progress.print(Text(printable(text)))
            case Result(document):
                self._document = document

    def _phase(self, text: Text) -> None:
        if self._live:
            self._live.update(text)
        else:
            self._progress.print(text)

    def _list(self, line: ListLine) -> None:
        self._listed.append(line)
        if self._live:
            # Two consoles on one terminal: the live line makes room for what stays.
            self._live.stop()
        for text in checklist_line(line):
            self._results.print(text)
        if self._live:
            self._live.start()

    def say(self, text: str) -> None:
        """A word of the command line's own, beside the engine's."""
        self._progress.print(Text(printable(text)))

    def stop(self) -> None:
        """Take the live line away, however the run ended."""
        if self._live:
            self._live.stop()

    def finish(self, seconds: float) -> None:
        """How the hosts stand, and the summary; for a run that broke off, what was known by then."""
        self.stop()
        hosts = host_reports(self._document, self._items)
        if self._listed:
            for line in closing_lines(hosts, self._document or {}):
                self._results.print(line)
            self._results.print(Text(count_lines(self._listed, seconds), "bold"))
            return
        for line in host_lines(hosts, self._every_effect):
            self._results.print(line)
        if hosts and not self._failed:
            self._results.print(Text(summary(hosts, seconds), "bold"))
        elif self._document is not None and not hosts:
            # A pipe has no width that a table should be folded to.
            self._results.print(host_table(self._document), width=None if self._results.is_terminal else 500)


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
    """Why a host failed as a whole; and what an apply would now change on the other members."""
    for host in hosts:
        if host.error:
            yield Text(printable(f"{host.name}: {host.error}"), "bold red")
    others = document.get("others")
    for name, differences in (others if isinstance(others, Mapping) else {}).items():
        told = "; ".join(text_of(one) or "" for one in listed(differences))
        yield Text(printable(f"{name} differs now, hostmuster apply mends it: {told}"))


def host_lines(hosts: tuple[HostReport, ...], every_effect: bool) -> Iterator[Text]:
    """The hosts' lines, aligned: name, status, items; below an item what is to be said about it."""
    width = max((len(host.name) for host in hosts), default=0)
    for host in hosts:
        name = host.name
        for status, items, details in blocks(host, every_effect):
            word, style = STATUS.get(status, (status, ""))
            yield Text.assemble(
                (printable(name).ljust(width), "bold"),
                "  ",
                (word.ljust(STATUS_WIDTH), style),
                "  ",
                printable(items),
            )
            for line in details:
                yield Text(" " * (width + STATUS_WIDTH + 6) + printable(line))
            name = ""


def blocks(host: HostReport, every_effect: bool) -> Iterator[tuple[str, str, list[str]]]:
    """A host's items, neighbours of one status with nothing to add put together in one line."""
    if host.error or not host.reachable:
        what, *more = (host.error or "unreachable").removeprefix(f"{host.name}: ").splitlines()
        yield "failed", what, more
    elif not host.items:
        yield "ok", "no item is for this host", []
    told = sorted(host.items, key=lambda item: item.status != "ok")
    for (status, details), items in groupby(told, key=lambda item: (item.status, details_of(item, every_effect))):
        yield status, ", ".join(item.item for item in items), list(details)


def details_of(item: ItemDone, every_effect: bool) -> tuple[str, ...]:
    """What is said about an item: its differences, the effects that do not hold, the reason and remedy."""
    words = {True: "holds", False: "does not hold", None: "not run"}
    effects = [
        f"{effect.name}: {words[effect.ok]}" + (f" ({effect.seen})" if effect.seen else "")
        for effect in item.effects
        if every_effect or effect.ok is not True
    ]
    # A reason that only says what the effects below the item say is left out.
    broken = [f"{effect.name}: {effect.seen}" for effect in item.effects if effect.ok is not True]
    reason = "" if item.reason == "; ".join(broken) else item.reason or ""
    texts = [*item.differences, *effects, reason]
    return tuple(line for text in texts for line in text.splitlines())


def host_table(document: Mapping[str, Json]) -> Table:
    """Any other document: a row for each host, a column for each thing known of one."""
    hosts = document.get("hosts")
    rows = hosts if isinstance(hosts, Mapping) else {"": document}
    known = {name: fields if isinstance(fields, Mapping) else {"": fields} for name, fields in rows.items()}
    columns = list(dict.fromkeys(column for fields in known.values() for column in fields))
    table = Table("host", *columns, box=None, pad_edge=False)
    for name, fields in known.items():
        table.add_row(*(Text(printable(cell_text(cell))) for cell in (name, *map(fields.get, columns))))
    return table


def cell_text(value: Json) -> str:
    """A value in a table."""
    match value:
        case None | [] | "":
            return "-"
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(map(cell_text, value))
    return text_of(value) or "-"


def printable(text: str) -> str:
    """Text of a host without what would steer the terminal."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else f"\\x{ord(sign):02x}" for sign in text)
