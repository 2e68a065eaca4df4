"""A mark that each replica leaves where all are said to look, that the others see there, and that it takes away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from hostmuster.errors import Problem
from hostmuster.item import Answer
from hostmuster.secrets.preflight.finding import Finding, Line, missing

Verb = Literal["put", "see", "take"]
Ask = Callable[[Verb, str, Sequence[str]], tuple[str, ...]]
"""What is asked on a host: the verb, the host's own name, and those of the others whose marks it is to see."""


@dataclass(frozen=True)
class Marks:
    """The marks of one service in one place. `where`: the place, for a person, by host."""

    service: str
    line: Line
    where: Mapping[str, str]
    asks: Mapping[str, Ask]
    shown: str

    def others(self, host: str) -> list[str]:
        """Whose marks it is to see."""
        return [name for name in self.asks if name != host]

    def found(self, put: Mapping[str, Answer], seen: Mapping[str, Answer]) -> Iterator[Finding]:
        """From the answers to put and see, which a host that was lost did not give."""
        left = {host for host, answer in put.items() if answer.output.strip() == "ok"}
        for host, answer in put.items():
            yield self._seen_by(host, left, seen.get(host)) if host in left else self._not_done(host, answer)

    def _seen_by(self, host: str, left: Set[str], answer: Answer | None) -> Finding:
        if answer is None:
            return self._not_done(host, Answer(1, "unknown its answer is missing"))
        lines = [line.partition(" ") for line in answer.output.splitlines()]
        unseen = {name for word, _, name in lines if word == "unseen"}
        if not unseen and answer.output.strip() != "ok":
            return self._not_done(host, answer)
        if blind := ", ".join(sorted(unseen & left)):
            what = f"it does not see there what {blind} left: they do not share it"
            return missing(self.line, self.service, host, Problem(self.where[host], what, "let all of them use one"))
        if not self.others(host):
            return Finding(
                self.line, self.service, f"{self.shown}: it takes a mark, and this is the only host", host=host
            )
        others = ", ".join(name for name in self.others(host) if name in left)
        what = f"it sees what {others} left" if others else "nobody else left a mark"
        return Finding(self.line, self.service, f"{self.shown}: {what}", looked_at=bool(others), host=host)

    def _not_done(self, host: str, answer: Answer) -> Finding:
        word, _, why = (answer.output.strip().splitlines() or [""])[-1].partition(" ")
        if word == "unknown":
            return Finding(self.line, self.service, f"{self.shown}: {why}", looked_at=False, host=host)
        what = why if word == "failed" else answer.output.strip()[-200:] or f"exit {answer.status}"
        remedy = "mend it there: it is asked with what the process has"
        return missing(self.line, self.service, host, Problem(self.where[host], what, remedy))
