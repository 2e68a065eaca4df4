"""A file with its whole content, mode and owner."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hostmuster.resources.alike import Alike
from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.stat import STAT, Stat, access, in_the_way
from hostmuster.resources.step import Owe, Put, Run, Step
from hostmuster.resources.timer import around
from hostmuster.resources.used_paths import of_unit

Grammar = Literal[
    "systemd-unit", "systemd-environment", "chrony", "iptables", "tinyproxy", "sshd", "ssh", "ssh-keys", "sudoers",
    "shell", "nginx", "haproxy", "keepalived", "apparmor-12", "apparmor-13",
]  # fmt: skip


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    found = {}
    for line in output.splitlines():
        digest, gap, path = line.partition("  ")
        if gap and len(digest) == 64:
            found[path] = digest
    return found


DIGEST = Probe("digest", (), _split, verb="digest")
UNIT_FOLDER = "/etc/systemd/system/"
DAEMON_RELOAD = Run(("systemctl", "daemon-reload"), undo=("systemctl", "daemon-reload"), once="files")


@dataclass(frozen=True)
class File:
    """A regular file. `validate` runs with the new file's path before the switch (visudo -cf, sshd -t -f).

    `restarts` and `reloads` name the units that read it: a changed content owes them that, and the roller pays.
    `told` are commands run after the switch, for readers that are no units. `mode` is octal text of four digits.
    `lint` names the grammar (hostmuster/lint) by which the content is checked before any host is touched.
    """

    path: str
    content: bytes = field(repr=False)
    mode: str = "0644"
    owner: str = "root"
    group: str = "root"
    validate: tuple[str, ...] = ()
    restarts: tuple[str, ...] = ()
    reloads: tuple[str, ...] = ()
    told: tuple[tuple[str, ...], ...] = ()
    lint: Grammar | None = None
    risky: bool = False

    @property
    def id(self) -> str:
        """`file PATH`."""
        return f"file {self.path}"

    @property
    def claim(self) -> str:
        """The path."""
        return self.path

    def questions(self) -> Iterator[Question]:
        """What lies there, and the digest of its content."""
        yield Question(STAT, self.path)
        yield Question(DIGEST, self.path)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Missing or something else; else content, mode, owner."""
        stat = Stat.of(seen, self.path)
        if stat is None or not stat.is_file:
            yield Difference(self.id, "presence", "missing" if stat is None else f"a {stat.kind}", "a file")
            return
        if self._content_differs(seen):
            size = len(self.content)
            yield Difference(self.id, "content", f"another ({stat.size} bytes)", f"{size} bytes")
        yield from access(self.id, stat, self.mode, self.owner, self.group)

    def alike(self) -> Iterator[Alike]:
        """What a unit's file names and no item writes."""
        if self.lint == "systemd-unit":
            yield from of_unit(self.content)

    def steps(self, seen: Observation) -> Iterator[Step]:
        """The whole file anew, the debts of a changed content, and what must be told of it."""
        stat, changed = Stat.of(seen, self.path), self._content_differs(seen)
        is_timer = self.path.startswith(UNIT_FOLDER) and self.path.endswith(".timer")
        times = around(self.path.removeprefix(UNIT_FOLDER)) if is_timer and changed and stat is not None else ()
        yield from in_the_way(self.path, stat)
        yield from times[:1]
        yield Put(self.path, self.content, self.mode, self.owner, self.group, self.validate)
        if not changed:
            return
        if self.path.startswith(UNIT_FOLDER):
            yield DAEMON_RELOAD
        yield from times[1:]
        yield from (Run(command, undo=command, once="files") for command in self.told)
        yield from (Owe(unit, "restart") for unit in self.restarts)
        yield from (Owe(unit, "reload") for unit in self.reloads)

    def _content_differs(self, seen: Observation) -> bool:
        return seen[Question(DIGEST, self.path)] != hashlib.sha256(self.content).hexdigest()
