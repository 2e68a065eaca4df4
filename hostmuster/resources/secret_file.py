"""A file with one value of the secrets store, for root alone; neither it nor a digest of it alone is ever shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.stat import STAT, Stat, access, in_the_way
from hostmuster.resources.step import Blocked, Put, Step
from hostmuster.secrets.sealed import Sealed

MODE = "0600"
# Each key is a salt and a path: a digest that somebody overhears fits no table of digests.
_DIGEST = """\
for key; do
    file=${key#* }
    [ -f "$file" ] && [ ! -h "$file" ] || continue
    sum=$({ printf %s "${key%% *}"; cat -- "$file"; } | sha256sum)
    printf '%s  %s\\n' "${sum%% *}" "$key"
done"""


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    return {key: digest for digest, _, key in (line.partition("  ") for line in output.splitlines())}


SALTED = Probe("salted", ("sh", "-c", _DIGEST, "sh"), _split)


@dataclass(frozen=True)
class SecretFile:
    """`path` holds the value of `secret` and nothing else. `begins`: what the fleet file says that it begins with.

    Plain configuration that happens to be confidential, so it is apply's; what several hosts must have at once is not.
    """

    path: str
    secret: Sealed
    begins: str
    risky: bool = False

    @property
    def id(self) -> str:
        """`secret file PATH`."""
        return f"secret file {self.path}"

    @property
    def claim(self) -> str:
        """The path."""
        return self.path

    def questions(self) -> Iterator[Question]:
        """What lies there, and the salted digest of its content."""
        yield Question(STAT, self.path)
        yield self._content

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """A value that is not what the fleet file says of it; missing or something else; content, mode, owner."""
        if not self.secret.begins_with(self.begins):
            yield Difference(self.id, f"the secret {self.secret.name}", "something else", f"{self.begins}/...")
        stat = Stat.of(seen, self.path)
        if stat is None or not stat.is_file:
            yield Difference(self.id, "presence", "missing" if stat is None else f"a {stat.kind}", "a file")
            return
        if seen[self._content] != self.secret.digest():
            yield Difference(self.id, "content", "another", f"the secret {self.secret.name}")
        yield from access(self.id, stat, MODE, "root", "root")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """The whole file anew; nothing where the value is not what was declared."""
        if not self.secret.begins_with(self.begins):
            remedy = f"correct it: `hostmuster secrets.set {self.secret.name}`, or what the fleet file says of it"
            yield Blocked(f"the secret {self.secret.name} does not begin with {self.begins}: {remedy}")
            return
        yield from in_the_way(self.path, Stat.of(seen, self.path))
        yield Put(self.path, self.secret.read().reveal(), MODE, "root", "root")

    @property
    def _content(self) -> Question:
        return Question(SALTED, f"{self.secret.fingerprint()} {self.path}")
