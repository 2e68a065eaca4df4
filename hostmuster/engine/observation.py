"""Everything asked of a host as one program, and its answers as one observation."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.foreign import foreign
from hostmuster.errors import Refused
from hostmuster.model.fleet import Host
from hostmuster.onhost.answers import Answers
from hostmuster.onhost.program import line
from hostmuster.resources.resource import Observation, Probe, Question

_KEYS_A_LINE = 400
"""Keeps a probe's command line far below the kernel's limit for one argument list."""


class Survey:
    """The questions of a host's items and `further` ones, each once, as program lines; and how their answers read.

    Raises Refused where the project's own kind of resource raises instead of asking.
    """

    def __init__(self, host: Host, compiled: Iterable[Compiled], further: Iterable[Question] = ()) -> None:
        self._root = host.fleet.project.root
        asked: dict[Probe, dict[str, None]] = {}
        for question in (*(one for part in compiled for one in self._questions(host, part)), *further):
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
        """What the host answered. Where the project's own probe raises, that is told to whoever asks for an answer."""
        seen: dict[tuple[str, str], str] = {}
        unread: dict[str, Refused] = {}
        for name, probe, keys in self._batches:
            try:
                with foreign(self._root, "", f"correct what splits the answers of the probe {probe.name}"):
                    seen |= {(probe.name, key): text for key, text in probe.split(answers[name].output, keys).items()}
            except Refused as error:
                unread[probe.name] = error
        return Observation(seen, time.time(), unread)

    def _questions(self, host: Host, part: Compiled) -> Iterator[Question]:
        name = part.item.name
        with foreign(self._root, f"{host.name}, {name}", f"correct that kind of resource, or the item {name}"):
            yield from (question for resource in part.resources for question in resource.questions())


def _ask(name: str, probe: Probe, keys: list[str]) -> str:
    match probe.verb:
        case "stat":
            return line("stat", name, *keys)
        case "digest":
            return line("digest", name, "-", *keys)
        case "probe":
            return line("probe", name, *probe.argv, *keys)
