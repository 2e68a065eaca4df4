"""A certificate that a host makes for itself, for a lab or until there is a real one; its key never leaves it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.stat import STAT, Stat, access
from hostmuster.resources.step import Owe, Run, Step

DAYS = 365
_RENEW_S = 30 * 86400

# For each folder one line: its names, and `ends` where that is soon.
_ASK = f"""\
for folder; do
    names=$(openssl x509 -noout -ext subjectAltName -in "$folder/certificate.pem" 2>/dev/null | tail -n 1) || continue
    [ -n "$names" ] || continue
    openssl x509 -noout -checkend {_RENEW_S} -in "$folder/certificate.pem" >/dev/null || names="$names, ends"
    printf '%s|%s\\n' "$folder" "$names"
done"""
# Whole files by rename; the key first, since nobody reads it before the reload that follows both.
_MAKE = f"""\
umask 077
cd -- "$1" && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days {DAYS} -subj "/CN=$2" \\
    -addext "subjectAltName=$3" -keyout .key.pem -out .certificate.pem 2>&1 && chmod 644 .certificate.pem &&
    sync -- .key.pem .certificate.pem && mv -f .key.pem key.pem && mv -f .certificate.pem certificate.pem &&
    sync -- ."""


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    return {
        folder: names.strip() for folder, bar, names in (line.partition("|") for line in output.splitlines()) if bar
    }


NAMES = Probe("self_made", ("sh", "-c", _ASK, "sh"), _split)


@dataclass(frozen=True)
class SelfMade:
    """certificate.pem and key.pem in `folder`, for `name` and `address`; `reloads`: who reads them."""

    folder: str
    name: str
    address: str
    reloads: tuple[str, ...] = ()
    risky: bool = False

    @property
    def id(self) -> str:
        """`self-made certificate in FOLDER`."""
        return f"self-made certificate in {self.folder}"

    @property
    def claim(self) -> str:
        """The certificate's path."""
        return f"{self.folder}/certificate.pem"

    def questions(self) -> Iterator[Question]:
        """For whom it is and whether it ends soon; the key's mode."""
        yield Question(NAMES, self.folder)
        yield Question(STAT, self._key)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """None, one for somebody else, one that ends within a month, no key beside it; a key that others read."""
        have, stat = seen[Question(NAMES, self.folder)], Stat.of(seen, self._key)
        if have != self._names or stat is None or not stat.is_file:
            yield Difference(self.id, "names", have or "missing", self._names)
        if stat is not None:
            yield from access(self.id, stat, "0600", "root", "root")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """Both anew, and a reload for whoever serves with them."""
        alternative = f"DNS:{self.name},IP:{self.address}"
        yield Run(("sh", "-c", _MAKE, "sh", self.folder, self.name, alternative))
        yield from (Owe(unit, "reload") for unit in self.reloads)

    @property
    def _key(self) -> str:
        return f"{self.folder}/key.pem"

    @property
    def _names(self) -> str:
        """As openssl prints them."""
        return f"DNS:{self.name}, IP Address:{self.address}"
