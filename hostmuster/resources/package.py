"""A Debian package, installed; which version is apt's business, as long as hosts have the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.resources.alike import Alike
from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.step import Run, Step


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    found = {}
    for line in output.splitlines():
        name, bar, told = line.partition("|")
        if bar:
            found[name] = told
    return found


DPKG = Probe("package", ("dpkg-query", "-W", "-f", "${Package}|${db:Status-Abbrev}|${Version}\\n"), _split)
_APT = ("apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=120")
# By dpkg's own journal, as apt knows that it was cut off. Where another dpkg is at work, it is apt-get that waits.
_END = """\
[ -n "$(ls /var/lib/dpkg/updates)" ] || exit 0
said=$(dpkg --force-confold --configure -a 2>&1) && exit
case $said in *'locked by another process'*) ;; *) printf '%s\\n' "$said"; exit 1 ;; esac"""
INSTALLED = ("ii", "hi")
"""dpkg's words for installed and configured; the second is held at its version."""


@dataclass(frozen=True)
class Package:
    """Installed from the host's own Debian sources.

    A reverted transaction leaves it there: removal is never implied.
    """

    name: str
    risky: bool = False

    @property
    def id(self) -> str:
        """`package NAME`."""
        return f"package {self.name}"

    @property
    def claim(self) -> str:
        """The id. Several items may ask for one package."""
        return self.id

    def questions(self) -> Iterator[Question]:
        """dpkg's status and version of it."""
        yield Question(DPKG, self.name)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Whatever is not installed and configured; which version it has is compared between hosts."""
        status = _status(seen[Question(DPKG, self.name)])
        if status not in INSTALLED:
            yield Difference(self.id, "status", status or "not installed", "installed")

    def alike(self) -> Iterator[Alike]:
        """Its version, which nobody declares: a host that missed an upgrade is named (H10)."""
        yield Alike(self.id, Question(DPKG, self.name), _version, per_release=True)

    def steps(self, seen: Observation) -> Iterator[Step]:
        """From fresh lists."""
        yield from installed("-o", "Dpkg::Options::=--force-confold", self.name)
        # dpkg syncs what it unpacks, but not what maintainer scripts make: chrony.conf was empty after a power loss.
        yield Run(("sync",))


def installed(*words: str) -> Iterator[Run]:
    """`words`: apt-get's options and packages.

    An installation that was cut off is ended first: apt refuses all else until then, and says to do just this. Then
    fresh lists: a list that is older than the mirror names files that are gone.
    """
    yield Run(("sh", "-c", _END, "dpkg"), once="item").patient
    # It can wait for ever for a proxy that closed the connection: it has less time than what waits for another dpkg.
    yield Run((*_APT, "update"), once="item")
    yield Run((*_APT, "--no-install-recommends", "install", *words)).patient


def _status(told: str | None) -> str:
    return (told or "").partition("|")[0].strip()


def _version(told: str | None) -> str | None:
    return told.partition("|")[2] if told and _status(told) in INSTALLED else None
