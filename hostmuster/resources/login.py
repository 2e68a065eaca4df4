"""Whether a declared key has logged in anew: proved by what sshd itself logged, and remembered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.resources.content import CONTENT
from hostmuster.resources.resource import Observation, Probe, Question
from hostmuster.ssh.sshd import ETC

PROVED = f"{ETC}/proved"
"""The logins that were proved when access was narrowed: the journal forgets, this file does not."""

# Only what sshd's own program logged as root counts: anybody may write "Accepted publickey" under its name
# (systemd.journal-fields(7): fields with `_` are the journal's own). The journal may be large: it is read from the
# oldest key file on that still waits for its proof, and not at all once every login is remembered.
SCRIPT = (
    f'cat {PROVED} 2>/dev/null; w=$(for k; do grep -qsxF -- "${{k% *}}" {PROVED} || '
    'stat -c "@ %.Y %n" -- "${k##* }" 2>/dev/null; done); [ "$w" ] || exit 0; echo "$w"; '
    's=$(echo "$w" | sort -k 2n | head -n 1 | cut -d " " -f 2); '
    'exec journalctl -q --no-pager -o short-unix --since "@${s%.*}" '
    '_UID=0 _EXE=/usr/sbin/sshd _EXE=/usr/lib/openssh/sshd-session -g "^Accepted publickey for "'
)
_ACCEPTED = re.compile(r"([0-9.]+) \S+ \S+: Accepted publickey for (\S+) from \S+ port \d+ ssh2: \S+ (SHA256:\S+)")


@dataclass(frozen=True)
class Login:
    """A user's key, by ssh-keygen's fingerprint, and the file that lets it in."""

    user: str
    fingerprint: str
    path: str

    @property
    def word(self) -> str:
        """As it is asked for."""
        return f"{self.user} {self.fingerprint} {self.path}"

    @property
    def remembered(self) -> str:
        """Its line in PROVED."""
        return f"{self.user} {self.fingerprint}"

    @property
    def question(self) -> Question:
        """Asks for it."""
        return Question(LOGIN, self.word)

    def proved(self, seen: Observation) -> bool:
        """Whether it logged in since its file was last written, or is remembered."""
        return seen[self.question] is not None

    def __str__(self) -> str:
        return f"{self.user}'s key {self.fingerprint}"


def logins_in(output: str, words: Sequence[str]) -> Mapping[str, str]:
    """Of the logins asked for, those that SCRIPT's output proves."""
    remembered, written = set(), {}
    accepted: dict[tuple[str, str], float] = {}
    for line in output.splitlines():
        match line.split(" "):
            case ["@", when, path]:
                written[path] = float(when)
            case [user, fingerprint]:
                remembered.add(f"{user} {fingerprint}")
            case _ if found := _ACCEPTED.match(line):
                accepted[found[2], found[3]] = float(found[1])
    proved = {}
    for word in words:
        user, fingerprint, path = word.split(" ")
        anew = accepted.get((user, fingerprint), 0.0) > written.get(path, float("inf"))
        if f"{user} {fingerprint}" in remembered or anew:
            proved[word] = "proved"
    return proved


LOGIN = Probe("login", ("sh", "-c", SCRIPT, "sh"), logins_in)


def missing(logins: Iterable[Login], seen: Observation) -> list[Login]:
    """Those that have not logged in anew yet."""
    return [login for login in logins if not login.proved(seen)]


def memory(logins: Iterable[Login]) -> bytes:
    """PROVED's content."""
    return "".join(f"{line}\n" for line in sorted({login.remembered for login in logins})).encode()


def forgotten(logins: Iterable[Login], seen: Observation) -> bool:
    """Whether PROVED does not hold exactly these."""
    return f"{seen[Question(CONTENT, PROVED)] or ''}\n".encode() != memory(logins)
