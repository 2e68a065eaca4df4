"""Who is an operator of a host: a group whose members are exactly the declared ones; who is no more is locked out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation, Question
from hostmuster.resources.step import Keep, Run, Step
from hostmuster.resources.user import ACCOUNT_FILES, GROUP
from hostmuster.ssh.sshd import KEYS

# procps need not be there. An account that expired a day after 1970 cannot log in by any way that sshd, cron, su or
# systemd know (shadow(5)); home and files stay, as evidence and as work.
_END = 'for p in /proc/[0-9]*; do [ "$(stat -c %U "$p" 2>/dev/null)" = "$1" ] && kill -KILL "${p##*/}"; done; true'


@dataclass(frozen=True)
class Roster:
    """`members` of `group`; the users themselves are declared before."""

    group: str
    members: tuple[str, ...]
    risky: bool = False

    @property
    def id(self) -> str:
        """`group NAME`."""
        return f"group {self.group}"

    @property
    def claim(self) -> str:
        """The id."""
        return self.id

    def questions(self) -> Iterator[Question]:
        """The group's line."""
        yield Question(GROUP, self.group)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """The group itself, each member that is missing or declared no more."""
        now = self._now(seen)
        if now is None:
            yield Difference(self.id, "presence", "missing", "a group")
        for name in self._missing(now):
            yield Difference(self.id, "members", f"without {name}", "an operator")
        for name in self._former(now):
            yield Difference(self.id, "members", f"with {name}", "no operator: locked out, sessions ended")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """Keys first, then the account, then what still runs as the former operator."""
        now = self._now(seen)
        yield from map(Keep, ACCOUNT_FILES)
        if now is None:
            yield Run(("groupadd", "--system", "--force", self.group))
        for name in self._missing(now):
            yield Run(("usermod", "--expiredate", "", "--append", "--groups", self.group, name))
        for name in self._former(now):
            yield Keep(f"{KEYS}/{name}")
            yield Run(("rm", "-f", "--", f"{KEYS}/{name}"))
            yield Run(("usermod", "--expiredate", "1", name))
            yield Run(("gpasswd", "--delete", name, self.group))
            yield Run(("sh", "-c", _END, "stop all that runs as", name))

    def _now(self, seen: Observation) -> list[str] | None:
        line = seen[Question(GROUP, self.group)]
        return None if line is None else [name for name in line.rpartition(":")[2].split(",") if name]

    def _missing(self, now: list[str] | None) -> list[str]:
        return [name for name in self.members if name not in (now or [])]

    def _former(self, now: list[str] | None) -> list[str]:
        return [name for name in now or [] if name not in self.members]
