"""That no foreign drop-in of sshd is read before one of ours and wins: sshd takes the first value (sshd_config(5))."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.stat import STAT, Stat
from hostmuster.resources.step import Blocked, Step
from hostmuster.ssh.sshd import DROP_INS, OURS

_LINE = re.compile(r"\s*(\w+)(?:\s*=\s*|\s+)(.*\S)\s*")
_ALIASES = {"challengeresponseauthentication": "kbdinteractiveauthentication"}


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    return dict.fromkeys(keys, output)


# A shell of its own, since the script's does not glob.
_SCRIPT = 'cd -- "$1" && LC_ALL=C grep -asH "" -- *.conf; true'
FOLDER = Probe("read_first", ("sh", "-c", _SCRIPT, "sh"), _split)


@dataclass(frozen=True)
class ReadFirst:
    """`path` is the first to set `options` (keyword to value, for everybody), once it is on the host.

    A foreign file that comes before it is somebody's decision about who gets in: it is named, never removed (O7).
    """

    path: str
    options: tuple[tuple[str, str], ...]
    risky: bool = False

    @property
    def id(self) -> str:
        """`sshd reading PATH first`."""
        return f"sshd reading {self.path} first"

    @property
    def claim(self) -> str:
        """The id: the file itself is another's."""
        return self.id

    def questions(self) -> Iterator[Question]:
        """Whether ours is there, and all that the folder says."""
        yield Question(STAT, self.path)
        yield Question(FOLDER, DROP_INS)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Each foreign setting that wins over one of ours. A file that narrows is not there before it may be."""
        for path, keyword, value in self._foreign(seen):
            want = next(text for name, text in self.options if name.lower() == keyword)
            yield Difference(f"file {path}", "setting", f"{keyword} {value}, read before {self.path}", want)

    def steps(self, seen: Observation) -> Iterator[Step]:
        """None of ours to take."""
        for path, keyword, _ in self._foreign(seen):
            what = f"{path} sets {keyword} before {self.path} does, and sshd takes the first value"
            yield Blocked(f"{what}: take that line out there (it is not ours to remove), then apply again")

    def _foreign(self, seen: Observation) -> Iterator[tuple[str, str, str]]:
        if Stat.of(seen, self.path) is None:
            return
        want = {name.lower(): value.lower() for name, value in self.options}
        for path, keyword, value in for_everybody(seen[Question(FOLDER, DROP_INS)] or ""):
            if path < self.path and path not in OURS and want.get(keyword, value) != value:
                yield path, keyword, value


def for_everybody(output: str) -> Iterator[tuple[str, str, str]]:
    """File, keyword and value, both in lower case, of each setting that holds for everybody.

    What follows a `Match` until the next one or the file's end holds for some: that is their owner's business.
    """
    before, everybody = "", True
    for line in output.splitlines():
        name, _, text = line.partition(":")
        if name != before:
            before, everybody = name, True
        found = _LINE.fullmatch(text.partition("#")[0])
        if found is None:
            continue
        keyword, value = found[1].lower(), found[2].strip('"').lower()
        if keyword == "match":
            everybody = value == "all"
        elif everybody:
            yield f"{DROP_INS}/{name}", _ALIASES.get(keyword, keyword), value
