"""What a stop or restart that we cause ends: asked before, told after, apart for drained, stopped and killed (K9).

Told by who knows: the service's own line in its journal (`1 drained, 2 stopped`) and systemd's word that it killed the
process. What neither tells is not guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from hostmuster.item import Answer
from hostmuster.onhost.answers import Answers
from hostmuster.onhost.program import line
from hostmuster.resources.unit import Unit

MOST: Final = 50
"""Runs of one service that are shown; of more the number."""
_TOLD = re.compile(r"(?P<drained>[0-9]+) drained, (?P<stopped>[0-9]+) (stopped|cut off)")
# systemd.journal-fields(7); the message is SD_MESSAGE_UNIT_STOPPING: all since then belongs to the process that ended.
ENDED: Final = """\
systemctl is-active -- "$1"
journalctl -q --sync
at=$(journalctl -q -r -n 1 -o short-unix UNIT="$1" MESSAGE_ID=de5b426a63be47a7b6ac3eaac82e2f6f | cut -d' ' -f1)
[ -n "$at" ] || exit 9
journalctl -q -o cat --since "@$at" UNIT="$1" EXIT_CODE=killed EXIT_STATUS=9 | grep -q . && echo killed
journalctl -q -o cat --since "@$at" _SYSTEMD_UNIT="$1" | grep -aE '[0-9]+ drained, [0-9]+ ' | head -n 1
exit 0"""
NEVER: Final = 9
"""The exit code of ENDED where the unit was not stopped in this boot."""

Runs = tuple[str, ...] | None
"""What a service says that it is at; None where it does not answer, or nobody declared how it is asked."""


@dataclass(frozen=True)
class Ending:
    """How the runs of one service ended. `runs`: those that were seen before; a number None: nobody tells."""

    host: str
    unit: str
    action: str
    runs: Runs
    drained: int | None
    stopped: int | None
    killed: int | None

    @property
    def is_quiet(self) -> bool:
        """Whether nothing ran, or all that ran was drained."""
        return not self.stopped and not self.killed

    @property
    def manner(self) -> str:
        """In a few words, for a person."""
        if self.drained is None and self.killed is None:
            if not self.unit.endswith(".service"):
                return "it has no process, so nothing ran in it"
            return f"how its runs ended is not told{_listed(self.runs)}"
        if self.drained is None and not self.killed:
            return "its process was killed, and nothing is known to have run"
        numbers = {"drained": self.drained, "stopped": self.stopped, "killed": self.killed}
        parts = [f"{number} {word}" for word, number in numbers.items() if number is not None]
        return f"{', '.join(parts)}{_listed(self.runs)}"

    @property
    def words(self) -> str:
        """With what was done to which service."""
        return f"{self.unit} {self.action}: {self.manner}"

    def document(self) -> dict[str, object]:
        """Its part of the run's document."""
        return asdict(self) | {"words": self.words}


def asks(units: Iterable[Unit]) -> str:
    """The question, for those of which it is declared how they are asked; empty for none."""
    return "\n".join(line("probe", f"runs.{unit.name}", *unit.runs) for unit in units if unit.runs)


def running(answers: Answers, unit: Unit | None) -> Runs:
    """What it says that it is at: a line for each run, or JSON with a list of them as `runs`."""
    answer = answers.get(f"runs.{unit.name}") if unit else None
    if answer is None or answer.status != 0:
        return None
    try:
        document = json.loads(answer.output)
    except ValueError:
        document = None
    found = document.get("runs") if isinstance(document, dict) else None
    lines = [str(one) for one in found] if isinstance(found, list) else answer.output.splitlines()
    return tuple(text.strip()[:200] for text in lines if text.strip())


def will_end(action: str, unit: str, runs: Runs) -> str:
    """What is about to be done, and to which runs."""
    if runs is None:
        return f"{action} {unit}"
    return f"{action} {unit}, which runs {len(runs)}{_listed(runs)}"


def asks_end(unit: str, name: str = "ended") -> str:
    """How it went, asked once the stop is over."""
    return line("probe", name, "sh", "-c", ENDED, "sh", unit)


def ended(host: str, unit: str, action: str, runs: Runs, answer: Answer) -> Ending:
    """From the answer."""
    if answer.status != 0:
        return Ending(host, unit, action, runs, None, None, None)
    told = _TOLD.search(answer.output)
    drained, stopped = (int(told["drained"]), int(told["stopped"])) if told else (None, None)
    if "killed" not in answer.output.splitlines():
        return Ending(host, unit, action, runs, drained, stopped, 0 if told else None)
    # Killed before it could tell: all that ran then. After it told: what it said was left is what the kill ended.
    if told:
        return Ending(host, unit, action, runs, drained, 0, stopped)
    return Ending(host, unit, action, runs, None, None, len(runs or ()))


def _listed(runs: Runs) -> str:
    if not runs:
        return ""
    more: Sequence[str] = [f"and {len(runs) - MOST} more"] if len(runs) > MOST else []
    return f" ({'; '.join([*runs[:MOST], *more])})"
