"""Everything asked of a host as one program, and its answers as one observation."""

from __future__ import annotations

import time
from collections.abc import Iterable

from hostmuster.onhost.answers import Answers
from hostmuster.onhost.program import line
from hostmuster.resources.resource import Observation, Probe, Question, Resource

_KEYS_A_LINE = 400
"""Keeps a probe's command line far below the kernel's limit for one argument list."""


class Survey:
    """The questions of some resources and `further` ones, each once, as program lines; and how their answers read."""

    def __init__(self, resources: Iterable[Resource], further: Iterable[Question] = ()) -> None:
        asked: dict[Probe, dict[str, None]] = {}
        for question in (*(one for resource in resources for one in resource.questions()), *further):
            asked.setdefault(question.probe, {})[question.key] = None
        self._batches = [
            (f"{probe.name}.{start}", probe, keys[start : start + _KEYS_A_LINE])
            for probe, keys in ((probe, list(keys)) for probe, keys in asked.items())
            for start in range(0, len(keys), _KEYS_A_LINE)
        ]

    @property
    def program(self) -> str:
        """The lines to send."""
        return "\n".join(_ask(name, probe, keys) for name, probe, keys in self._batches)

    def read(self, answers: Answers) -> Observation:
        """What the host answered."""
        seen: dict[tuple[str, str], str] = {}
        for name, probe, keys in self._batches:
            for key, text in probe.split(answers[name].output, keys).items():
                seen[probe.name, key] = text
        return Observation(seen, now=time.time())


def _ask(name: str, probe: Probe, keys: list[str]) -> str:
    match probe.verb:
        case "stat":
            return line("stat", name, *keys)
        case "digest":
            return line("digest", name, "-", *keys)
        case "probe":
            return line("probe", name, *probe.argv, *keys)
