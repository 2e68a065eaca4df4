"""The keys that let one operator in: declared ones are added at once, others go once the declared ones have proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.resources.content import CONTENT
from hostmuster.resources.login import Login, missing
from hostmuster.resources.resource import Difference, Observation, Question
from hostmuster.resources.stat import STAT, Stat, access, in_the_way
from hostmuster.resources.step import Put, Step
from hostmuster.secrets.sshkeys import fingerprint
from hostmuster.ssh.sshd import KEYS


@dataclass(frozen=True)
class AuthorizedKeys:
    """`keys` are public lines. `revoked` fingerprints go at once, proved or not; `at_once`: all undeclared ones do."""

    user: str
    keys: tuple[str, ...]
    revoked: frozenset[str] = frozenset()
    at_once: bool = False
    risky: bool = False

    @property
    def path(self) -> str:
        """The user's file."""
        return f"{KEYS}/{self.user}"

    @property
    def id(self) -> str:
        """`keys of USER`."""
        return f"keys of {self.user}"

    @property
    def claim(self) -> str:
        """The path."""
        return self.path

    @property
    def logins(self) -> tuple[Login, ...]:
        """What each key must prove."""
        return tuple(Login(self.user, fingerprint(key), self.path) for key in self.keys)

    def questions(self) -> Iterator[Question]:
        """The file, and whether the declared keys have logged in."""
        yield Question(STAT, self.path)
        yield Question(CONTENT, self.path)
        yield from (login.question for login in self.logins)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Each key that is missing or too much; mode and owner."""
        stat = Stat.of(seen, self.path)
        if stat is None or not stat.is_file:
            yield Difference(self.id, "presence", "missing" if stat is None else f"a {stat.kind}", "a file")
            return
        have, want = self._have(seen), self._want(seen)
        for key in want:
            if key not in have:
                yield Difference(self.id, "key", f"without {name_of(key)}", "with it")
        for key in have:
            if key not in want:
                yield Difference(self.id, "key", f"with {name_of(key)}", "without it")
        yield from access(self.id, stat, "0644", "root", "root")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """The file anew; sshd reads it at each login."""
        yield from in_the_way(self.path, Stat.of(seen, self.path))
        content = "".join(f"{key}\n" for key in self._want(seen))
        yield Put(self.path, content.encode(), "0644", "root", "root")

    def _have(self, seen: Observation) -> list[str]:
        return [line for line in (seen[Question(CONTENT, self.path)] or "").splitlines() if line.strip()]

    def _want(self, seen: Observation) -> list[str]:
        kept = []
        if not self.at_once and missing(self.logins, seen):
            kept = [key for key in self._have(seen) if name_of(key) not in self.revoked]
        return list(dict.fromkeys([*self.keys, *kept]))


def name_of(line: str) -> str:
    """A line's fingerprint; of one that is no plain key, what kind of line it is."""
    try:
        return fingerprint(line)
    except (ValueError, IndexError):
        return "a line that is no plain public key"
