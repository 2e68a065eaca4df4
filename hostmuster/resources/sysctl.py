"""A kernel setting, now and at every boot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.resources.file import File
from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.step import Run, Step


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    found = {}
    for line in output.splitlines():
        key, equals, value = line.partition(" = ")
        if equals:
            found[key] = " ".join(value.split())
    return found


SYSCTL = Probe("sysctl", ("sysctl",), _split)


@dataclass(frozen=True)
class Sysctl:
    """`key` in sysctl's dotted form; `value` as sysctl prints it, blanks folded."""

    key: str
    value: str
    risky: bool = False

    @property
    def id(self) -> str:
        """`sysctl KEY`."""
        return f"sysctl {self.key}"

    @property
    def claim(self) -> str:
        """The id."""
        return self.id

    @property
    def _file(self) -> File:
        # A file a key: no two items share one, and removing a key is removing a file.
        path = f"/etc/sysctl.d/80-hostmuster-{self.key.replace('/', '-')}.conf"
        return File(path, f"{self.key} = {self.value}\n".encode())

    def questions(self) -> Iterator[Question]:
        """The running value, and the file that sets it at boot."""
        yield Question(SYSCTL, self.key)
        yield from self._file.questions()

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """The running value, and the file."""
        running = seen[Question(SYSCTL, self.key)]
        if running != self.value:
            yield Difference(self.id, "value", running or "not known to this kernel", self.value)
        yield from self._file.compare(seen)

    def steps(self, seen: Observation) -> Iterator[Step]:
        """The file, then the value; reverted, the value goes back too."""
        yield from self._file.steps(seen)
        running = seen[Question(SYSCTL, self.key)]
        if running != self.value:
            undo = ("sysctl", "-q", "-w", f"{self.key}={running}") if running is not None else ()
            yield Run(("sysctl", "-q", "-w", f"{self.key}={self.value}"), undo=undo)
