"""What the engine says while it works: events for whoever started it, the same redacted in the journal."""

from __future__ import annotations

import json
import sys
from io import StringIO
from typing import TextIO

from hostmuster.engine.checked import Line
from hostmuster.engine.outcome import ItemOutcome
from hostmuster.errors import HostmusterError
from hostmuster.report.journal import Journal
from hostmuster.report.redaction import Redaction


class Record:
    """JSON lines on `stream`, each also a line of the journal where there is one."""

    def __init__(self, redaction: Redaction, journal: Journal | None = None, stream: TextIO | None = None) -> None:
        self._redaction = redaction
        self._journal = journal
        self._stream = stream or sys.stdout

    def phase(self, host: str, phase: str, text: str = "") -> None:
        """A host is about to enter a phase."""
        self._say("host", host=host, phase=phase, text=text)

    def host_failed(self, host: str, error: HostmusterError) -> None:
        """A host is given up for this run."""
        self._say("host", host=host, phase="failed", text=error.what)

    def item(self, host: str, outcome: ItemOutcome) -> None:
        """How an item ended."""
        self._say("item", host=host, item=outcome.item, **outcome.document())

    def line(self, host: str, line: Line) -> None:
        """A line of the checklist, as soon as it is known how it stands."""
        self._say("line", host=host, **line.document())

    def quiet(self) -> Record:
        """The same for the journal alone: for what is tried, and told by whoever tries it."""
        return Record(self._redaction, self._journal, StringIO())

    def warning(self, text: str) -> None:
        """Something to know that stops nothing."""
        self._say("warning", text=text)

    def error(self, text: str, exit_code: int) -> None:
        """The run ends without a result."""
        self._say("error", text=text, exit=exit_code)

    def result(self, document: dict[str, object], exit_code: int) -> None:
        """The run's one document."""
        self._say("result", document=document, exit=exit_code)

    def _say(self, event: str, **fields: object) -> None:
        if self._journal is not None:
            self._journal.write(event, **fields)
        self._stream.write(self._redaction.apply(json.dumps({"event": event, **fields})) + "\n")
        self._stream.flush()
