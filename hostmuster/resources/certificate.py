"""An SSH certificate beside a key: signed by the fleet's CA, for the right names, with time left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.resources.content import CONTENT
from hostmuster.resources.resource import Difference, Observation, Question
from hostmuster.resources.stat import STAT, Stat, access, in_the_way
from hostmuster.resources.step import PutCertificate, Run, Step
from hostmuster.ssh.certificate import Certified

DAY_S = 86400


@dataclass(frozen=True)
class Certificate:
    """A certificate at `path` for the public key at `public`, by the CA whose public line is `ca`.

    `days` it is valid when new; with fewer than `renew_days` left it is signed anew. `host`: a host's own, by
    which others know it, else a user's. `told` are commands run after the switch. What must be signed is in the
    plan; the CA's key is not: the change stage signs.
    """

    path: str
    public: str
    ca: str
    key_id: str
    principals: tuple[str, ...]
    days: int
    renew_days: int
    host: bool = False
    told: tuple[tuple[str, ...], ...] = ()
    risky: bool = False

    @property
    def id(self) -> str:
        """`certificate PATH`."""
        return f"certificate {self.path}"

    @property
    def claim(self) -> str:
        """The path."""
        return self.path

    def questions(self) -> Iterator[Question]:
        """The certificate, the public key, and what lies at the certificate's path."""
        yield Question(STAT, self.path)
        yield Question(CONTENT, self.path)
        yield Question(CONTENT, self.public)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Missing; for another key, by another CA, for other names, of another kind; near its end."""
        stat = Stat.of(seen, self.path)
        if stat is None or not stat.is_file:
            yield Difference(self.id, "presence", "missing" if stat is None else f"a {stat.kind}", "a certificate")
            return
        now = Certified.read(seen[Question(CONTENT, self.path)] or "")
        if now is None:
            yield Difference(self.id, "content", "no certificate with a valid signature", "a certificate")
        else:
            yield from self._wrong(now, seen)
        yield from access(self.id, stat, "0644", "root", "root")

    def _wrong(self, now: Certified, seen: Observation) -> Iterator[Difference]:
        if now.key != _key(seen[Question(CONTENT, self.public)] or ""):
            yield Difference(self.id, "key", "another", f"that of {self.public}")
        if now.ca != _key(self.ca):
            yield Difference(self.id, "authority", "another", "the fleet's ssh-ca")
        if now.host != self.host:
            kinds = {True: "a host's certificate", False: "a user's certificate"}
            yield Difference(self.id, "kind", kinds[now.host], kinds[self.host])
        if now.principals != frozenset(self.principals):
            have = ", ".join(sorted(now.principals)) or "any name"
            yield Difference(self.id, "names", have, ", ".join(sorted(self.principals)))
        if now.limits:
            yield Difference(self.id, "rights", ", ".join(sorted(now.limits)), "none beyond the login")
        if now.key_id != self.key_id:
            yield Difference(self.id, "identity", now.key_id, self.key_id)
        left = (now.ends - seen.now) / DAY_S
        if left < self.renew_days or now.begins > seen.now:
            have = "not valid yet" if now.begins > seen.now else "expired" if left <= 0 else f"{left:.0f} days left"
            yield Difference(self.id, "validity", have, f"{self.renew_days} days left at least")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """Signed anew. A key that is made in this very round is signed in the next."""
        public = seen[Question(CONTENT, self.public)]
        if public is None:
            return
        yield from in_the_way(self.path, Stat.of(seen, self.path))
        yield PutCertificate(self.path, _key(public), self.key_id, self.principals, self.days, self.host)
        yield from (Run(command, undo=command, once="files") for command in self.told)


def _key(line: str) -> str:
    return " ".join(line.split()[:2])
