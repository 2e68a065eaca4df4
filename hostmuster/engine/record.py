"""What the engine says while it works: events for whoever started it, the same redacted in the journal."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from typing import TextIO

from hostmuster.engine.checked import Line
from hostmuster.engine.ending import Ending
from hostmuster.engine.outcome import ItemOutcome
from hostmuster.errors import HostFailed, HostmusterError, InputError, Refused, RefusedByHosts
from hostmuster.report.journal import Journal
from hostmuster.report.redaction import Redaction
from hostmuster.secrets.value import Secret


class Record:
    """JSON lines on `stream`, each also a line of the journal where there is one."""

    def __init__(self, redaction: Redaction, journal: Journal | None = None, stream: TextIO | None = None) -> None:
        self._redaction = redaction
        self._journal = journal
        self._stream = stream or sys.stdout
        self.steps: list[dict[str, object]] = []
        """What a rotation did so far, by the controller's clock (seconds since 1970)."""
        self.told: dict[str, object] = {}
        """What is known of it beside its steps as soon as it is: it is evidence however the run ends."""
        self.on_step: Callable[[], None] = lambda: None
        """Keeps them for whoever reads of a run that was killed; called before a step is told."""
        self.endings: list[Ending] = []
        """How what ran in services that this run stopped or restarted ended."""

    def hide(self, secret: Secret) -> None:
        """A value that was made in this run: it is taken out of all that is said, too."""
        self._redaction.add(secret)

    def phase(self, host: str, phase: str, text: str = "") -> None:
        """A host is about to enter a phase."""
        self._say("host", host=host, phase=phase, text=text)

    def step(self, of: str, what: str, **more: object) -> None:
        """A step of a rotation was taken; `more`: what is known of it beside."""
        self.steps.append({"at": round(time.time(), 3), "step": what, **more})
        self.on_step()
        self.phase(of, "rotation", what)

    @contextmanager
    def forward(self, again: str) -> Iterator[None]:
        """Once a step was taken, what is refused is a failure: something was touched. `again`: the way on."""
        try:
            yield
        except Refused as error:
            if not self.steps:
                raise
            said = error.refusals if isinstance(error, RefusedByHosts) else ()
            parts = error.problems if isinstance(error, InputError) else said or (error,)
            raise HostFailed("\n".join(map(str, parts)), remedy=again) from None

    def ended(self, ending: Ending) -> None:
        """A service was stopped, or restarted."""
        self.phase(ending.host, "ended", ending.words)
        self.endings.append(ending)

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

    def redacted(self, document: dict[str, object]) -> str:
        """A document as JSON without any known secret, for whatever else is made of it."""
        return self._redaction.apply(json.dumps(document))

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
