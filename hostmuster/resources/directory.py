"""A directory with its mode and owner; what is in it is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation, Question
from hostmuster.resources.stat import STAT, Stat, access
from hostmuster.resources.step import Blocked, Keep, Run, Step


@dataclass(frozen=True)
class Directory:
    """A directory. `mode` is octal text of four digits."""

    path: str
    mode: str = "0755"
    owner: str = "root"
    group: str = "root"
    risky: bool = False

    @property
    def id(self) -> str:
        """`directory PATH`."""
        return f"directory {self.path}"

    @property
    def claim(self) -> str:
        """The path."""
        return self.path

    def questions(self) -> Iterator[Question]:
        """What lies there."""
        yield Question(STAT, self.path)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Missing or something else; else mode and owner."""
        stat = Stat.of(seen, self.path)
        if stat is None or not stat.is_directory:
            have = "missing" if stat is None else f"a {stat.kind}"
            yield Difference(self.id, "presence", have, "a directory")
        else:
            yield from access(self.id, stat, self.mode, self.owner, self.group)

    def steps(self, seen: Observation) -> Iterator[Step]:
        """A link in the way is replaced; a file in the way may be somebody's only copy, so it is named."""
        stat = Stat.of(seen, self.path)
        yield Keep(self.path)
        if stat is not None and not stat.is_directory:
            if stat.kind != "symbolic link":
                yield Blocked(f"{self.path} is a {stat.kind}: move it away, then apply again")
                return
            yield Run(("rm", "-f", "--", self.path))
        yield Run(("install", "-d", "-m", self.mode, "-o", self.owner, "-g", self.group, "--", self.path))
        yield Run(("sync", "--", self.path.rpartition("/")[0] or "/"))
