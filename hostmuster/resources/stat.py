"""What lies at a path: asked of all paths of a host with one `stat`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.step import Blocked


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    found = {}
    for line in output.splitlines():
        path, bar, rest = line.partition("|")
        if bar:
            found[path] = rest
    return found


STAT = Probe("stat", (), _split, verb="stat")


@dataclass(frozen=True)
class Stat:
    """One line of stat(1): type in its words, mode in octal, names of owner and group, size in bytes."""

    kind: str
    mode: str
    owner: str
    group: str
    size: int
    target: str

    @classmethod
    def of(cls, seen: Observation, path: str) -> Stat | None:
        """What the observation says of a path; None where nothing is there."""
        said = seen[Question(STAT, path)]
        if said is None:
            return None
        kind, mode, owner, group, size, name = said.split("|", 5)
        return cls(kind, mode.zfill(4), owner, group, int(size), name.partition(" -> ")[2])

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file (not a link to one)."""
        return self.kind in ("regular file", "regular empty file")

    @property
    def is_directory(self) -> bool:
        """Whether it is a directory (not a link to one)."""
        return self.kind == "directory"


def access(resource: str, stat: Stat, mode: str, owner: str, group: str) -> Iterator[Difference]:
    """Differences of mode and owner."""
    if stat.mode != mode:
        yield Difference(resource, "mode", stat.mode, mode)
    if (stat.owner, stat.group) != (owner, group):
        yield Difference(resource, "owner", f"{stat.owner}:{stat.group}", f"{owner}:{group}")


def in_the_way(path: str, stat: Stat | None) -> Iterator[Blocked]:
    """A directory with content is somebody's data: it is named, never removed. Size says nothing of it, rmdir does."""
    if stat is not None and stat.kind not in (
        "regular file",
        "regular empty file",
        "symbolic link",
        "directory",
    ):
        yield Blocked(f"{path} is a {stat.kind}: move it away, then apply again")
