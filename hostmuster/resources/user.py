"""A user with the group of the same name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.step import Keep, Run, Step


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    return {line.partition(":")[0]: line for line in output.splitlines() if line.count(":") >= 3}


PASSWD = Probe("user", ("getent", "passwd"), _split)
GROUP = Probe("group", ("getent", "group"), _split)
ACCOUNT_FILES = ("/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow")


@dataclass(frozen=True)
class NamedUser:
    """What every kind that is about a user has in common, so that no user is declared as two of them."""

    name: str

    @property
    def id(self) -> str:
        """`user NAME`."""
        return f"user {self.name}"

    @property
    def claim(self) -> str:
        """The id."""
        return self.id


@dataclass(frozen=True)
class User(NamedUser):
    """A user without a password: it logs in by key or not at all. `groups` are joined, never left."""

    home: str
    shell: str = "/usr/sbin/nologin"
    system: bool = False
    groups: tuple[str, ...] = ()
    risky: bool = False

    def questions(self) -> Iterator[Question]:
        """Its passwd line, its groups' lines."""
        yield Question(PASSWD, self.name)
        yield from (Question(GROUP, group) for group in self.groups)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Missing; else home, shell and each group it is not in."""
        line = seen[Question(PASSWD, self.name)]
        if line is None:
            yield Difference(self.id, "presence", "missing", "a user")
            return
        *_, home, shell = line.split(":")
        if home != self.home:
            yield Difference(self.id, "home", home, self.home)
        if shell != self.shell:
            yield Difference(self.id, "shell", shell, self.shell)
        for group in self._missing_groups(seen):
            yield Difference(self.id, "groups", f"not in {group}", f"in {group}")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """useradd or usermod; the account files are kept first."""
        yield from map(Keep, ACCOUNT_FILES)
        missing = self._missing_groups(seen)
        yield from (Run(("groupadd", "--system", "--force", group)) for group in missing)
        if seen[Question(PASSWD, self.name)] is None:
            kind = ("--system",) if self.system else ()
            home = ("--home-dir", self.home, "--create-home", "--shell", self.shell)
            yield Run(("useradd", *kind, "--user-group", *home, self.name))
        else:
            yield Run(("usermod", "--home", self.home, "--shell", self.shell, self.name))
        yield from (Run(("gpasswd", "--add", self.name, group)) for group in missing)

    def _missing_groups(self, seen: Observation) -> list[str]:
        members = {group: seen[Question(GROUP, group)] or "" for group in self.groups}
        return [group for group, line in members.items() if self.name not in line.rpartition(":")[2].split(",")]
