"""A Debian package, installed; which version is apt's business."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation, Probe, Question, Run, Step


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    found = {}
    for line in output.splitlines():
        name, bar, status = line.partition("|")
        if bar:
            found[name] = status.strip()
    return found


DPKG = Probe("package", ("dpkg-query", "-W", "-f", "${Package}|${db:Status-Abbrev}\\n"), _split)
INSTALL = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=120")


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
        """dpkg's status of it."""
        yield Question(DPKG, self.name)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Anything but `ii` (installed, configured) or `hi` (held) is not installed."""
        status = seen[Question(DPKG, self.name)]
        if status not in ("ii", "hi"):
            yield Difference(self.id, "status", status or "not installed", "installed")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """Fresh lists first: a list that is older than the mirror names files that are gone."""
        yield Run((*INSTALL, "update"), once="item")
        options = ("--no-install-recommends", "-o", "Dpkg::Options::=--force-confold")
        yield Run((*INSTALL, *options, "install", self.name))
