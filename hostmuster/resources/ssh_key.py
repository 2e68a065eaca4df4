"""An SSH key pair that is made on the host; its private half never leaves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.resources.content import CONTENT
from hostmuster.resources.resource import Difference, Observation, Question
from hostmuster.resources.stat import STAT, Stat, access, in_the_way
from hostmuster.resources.step import Blocked, Keep, Run, Step

_DERIVE = 'umask 077 && ssh-keygen -y -f "$1" >"$1.pub.new" && sync "$1.pub.new" && mv -f "$1.pub.new" "$1.pub"'


@dataclass(frozen=True)
class SshKey:
    """An ed25519 pair at `path` (0600, the owner's) and `path`.pub (0644, root's). The folder must be root's own.

    `make` False: it was there before us, and a new one would be a new identity, so that is the operator's to make.
    """

    path: str
    comment: str
    owner: str = "root"
    group: str = "root"
    make: bool = True
    risky: bool = False

    @property
    def id(self) -> str:
        """`ssh key PATH`."""
        return f"ssh key {self.path}"

    @property
    def claim(self) -> str:
        """The path."""
        return self.path

    def questions(self) -> Iterator[Question]:
        """What lies there, and the public half."""
        yield Question(STAT, self.path)
        yield Question(STAT, f"{self.path}.pub")
        yield Question(CONTENT, f"{self.path}.pub")

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Missing halves; mode and owner. Whether the halves belong together is an effect's business."""
        private, public = Stat.of(seen, self.path), Stat.of(seen, f"{self.path}.pub")
        if private is None or not private.is_file or private.size == 0:
            yield Difference(self.id, "presence", "missing" if private is None else "no key", "a key")
            return
        if self._is_of_another(seen):
            yield Difference(self.id, "identity", "another", self.comment)
        yield from access(self.id, private, "0600", self.owner, self.group)
        if public is None or not public.is_file or seen[Question(CONTENT, f"{self.path}.pub")] is None:
            yield Difference(self.id, "public half", "missing" if public is None else "no key", "a file")
        else:
            yield from access(f"{self.id}.pub", public, "0644", "root", "root")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """A new pair where there is no private key; else its public half anew, modes and owners."""
        private, public = Stat.of(seen, self.path), f"{self.path}.pub"
        lost = private is None or not private.is_file or private.size == 0 or self._is_of_another(seen)
        if lost and not self.make:
            remedy = "put it back, or make one (ssh-keygen -A) and pin it anew, then apply again"
            yield Blocked(f"the key {self.path} is gone: {remedy}")
            return
        for path in (self.path, public):
            yield from in_the_way(path, Stat.of(seen, path))
            yield Keep(path)
        if lost:
            yield Run(("rm", "-f", "--", self.path, public))
            yield Run(("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", self.comment, "-f", self.path))
        elif seen[Question(CONTENT, public)] is None:
            yield Run(("sh", "-c", _DERIVE, "sh", self.path))
        yield Run(("chown", f"{self.owner}:{self.group}", "--", self.path))
        yield Run(("chmod", "0600", "--", self.path))
        yield Run(("chown", "root:root", "--", public))
        yield Run(("chmod", "0644", "--", public))
        yield Run(("sync", "--", self.path, public, self.path.rpartition("/")[0]))

    def _is_of_another(self, seen: Observation) -> bool:
        """Whether the key was made for somebody else: what that one knew may be revoked."""
        words = (seen[Question(CONTENT, f"{self.path}.pub")] or "").split(maxsplit=2)
        return self.make and len(words) == 3 and words[2].strip() != self.comment
