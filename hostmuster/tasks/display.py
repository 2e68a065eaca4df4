"""What a person sees of a run: its progress while it goes on, then how every host stands.

Imported only once the engine process has been started, since rich takes longer to import than the command
line may take to start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.text import Text

from hostmuster.tasks.checklist_lines import checklist_line, closing_lines, count_lines
from hostmuster.tasks.drill_table import drill_lines, listing_lines
from hostmuster.tasks.events import Event, Failed, HostPhase, ItemDone, Json, ListLine, Result, Warned, listed, text_of
from hostmuster.tasks.exposure import exposure_lines
from hostmuster.tasks.field_table import field_lines, host_table
from hostmuster.tasks.host_lines import host_lines, printable, unlike_lines
from hostmuster.tasks.host_report import host_reports, summary, unlikes
from hostmuster.tasks.replica_table import is_table, replica_lines, replica_table
from hostmuster.tasks.standing import is_standing, standing_lines


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
        self._listed: list[ListLine] = []
        self._given_up: list[HostPhase] = []
        self._refusal = ""
        if self._live:
            self._live.start()

    def show(self, event: Event) -> None:
        """Take one event of the engine."""
        match event:
            case HostPhase(host, "failed"):
                # Why is said once, at the end: with the host there, or by itself.
                self._given_up.append(event)
                self._phase(Text(printable(f"{host}: failed")))
            case HostPhase(host, phase, text):
                self._phase(Text(printable(f"{host}: {phase} {text}".rstrip())))
            case ItemDone():
                self._items.append(event)
            case ListLine():
                self._list(event)
            case Warned(text):
                self._progress.print(Text(printable(f"warning: {text}"), "yellow"))
            case Failed(text):
                self._refusal = text
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
        told = (self._refusal, *(host.error or "" for host in hosts), *(line.seen for line in self._listed))
        for gone in self._given_up:
            if not any(gone.text in words for words in told):
                self._progress.print(Text(printable(f"{gone.host}: {gone.text}")))
        if self._listed:
            for line in closing_lines(hosts, self._document or {}):
                self._results.print(line)
            self._results.print(Text(count_lines(self._listed, seconds), "bold"))
            return
        # A pipe has no width that a line should be folded to.
        width = self._results.width if self._results.is_terminal else None
        for line in ending_lines(self._document or {}):
            self._results.print(line)
        unlike = unlikes(self._document)
        for line in (*host_lines(hosts, self._every_effect, width), *unlike_lines(unlike, width)):
            self._results.print(line)
        if hosts and not self._refusal:
            self._results.print(Text(summary(hosts, seconds, len(unlike)), "bold"))
            if page := text_of((self._document or {}).get("page")):
                self._results.print(Text(printable(page)))
        elif self._document is not None and "exposed" in self._document:
            for line in exposure_lines(self._document):
                self._results.print(line)
        elif self._document is not None and is_table(self._document):
            for line in (*replica_table(self._document), *replica_lines(self._document, width)):
                self._results.print(line)
        elif self._document is not None and "drills" in self._document:
            for line in drill_lines(self._document):
                self._results.print(line)
        elif self._document is not None and "listed" in self._document:
            for line in listing_lines(self._document):
                self._results.print(line)
        elif self._document is not None and is_standing(self._document):
            for line in standing_lines(self._document, width):
                self._results.print(line)
        elif self._document is not None and not hosts:
            if isinstance(self._document.get("hosts"), Mapping):
                self._results.print(host_table(self._document), width=width or 500)
            else:
                for line in field_lines(self._document):
                    self._results.print(line)


def ending_lines(document: Mapping[str, Json]) -> Iterator[Text]:
    """How the runs of services that were stopped or restarted ended: drained, stopped, killed."""
    for one in listed(document.get("ended")):
        if isinstance(one, Mapping):
            bad = one.get("stopped") or one.get("killed")
            yield Text(
                printable(f"{text_of(one.get('host'))}: {text_of(one.get('words'))}"), "yellow" if bad else "dim"
            )
