"""The lease a run holds on each host it works on, and what a host says when another run holds it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from hostmuster.errors import HostFailed, Refused
from hostmuster.onhost.answers import Answers
from hostmuster.onhost.program import line
from hostmuster.report.journal import is_over

_RUN = re.compile(r"[0-9a-f]{8}")


@dataclass(frozen=True)
class Lease:
    """`holder` is a person on a machine, `run` this run's id, `seconds` its time to live; each exec renews it.

    `reports`: where the journals of this folder's runs lie, by which one that was killed here is known to be dead;
    `dead` names such a run, whose lease need not be waited for.
    """

    holder: str
    run: str
    seconds: int
    reports: Path
    dead: str = ""

    @property
    def take(self) -> str:
        """The program line that takes or renews it."""
        holder = re.sub(r"[^A-Za-z0-9_.@-]", "_", self.holder) or "nobody"
        return line("lease", holder, self.run, str(self.seconds), *([self.dead] if self.dead else []))

    def release(self, applied: str | None = None) -> str:
        """The program line that gives it back; `applied` is the git revision the host is now as declared by."""
        return line("release", self.run, *([applied] if applied else []))

    def holds(self, revision: int) -> str:
        """The line that stops the program unless the lease is ours and the host is as we saw it (compare-and-swap)."""
        return line("holds", self.run, str(revision))

    def survives(self, other: LeaseHeld) -> bool:
        """Whether the run that holds the host was one of this folder, and is dead: its process is gone."""
        return bool(_RUN.fullmatch(other.run)) and is_over(self.reports, other.run)

    def goes_before(self, other: LeaseHeld) -> bool:
        """Of two runs that began at once, each with leases that the other wants: whether this one is to go on."""
        return self.run < other.run and other.seconds > self.seconds - BEGAN_S


BEGAN_S = 5
"""A run that renewed its lease within so many seconds may have begun together with ours."""


class LeaseHeld(Refused):
    """Another run has the host, and for how long yet."""

    def __init__(self, host: str, holder: str, run: str, seconds: int) -> None:
        super().__init__(
            f"{holder} is at work on it (run {run}, lease for {seconds} s more)",
            where=host,
            remedy=f"wait for it; if that run is dead: `hostmuster unlock {host} --revert` (or --resume)",
        )
        self.run = run
        self.seconds = seconds


def refusal(host: str, answers: Answers) -> Refused | HostFailed | None:
    """Why the host stopped our program, if it did: another's lease, or a host that moved on."""
    lease = answers.get("lease")
    if lease is not None and lease.status != 0:
        _, holder, run, seconds = lease.output.split(" ")
        return LeaseHeld(host, holder, run, int(seconds))
    if answers.end.startswith("schema"):
        remedy = "update hostmuster here first"
        return Refused(f"its state has {answers.end}, written by a newer hostmuster", where=host, remedy=remedy)
    if answers.end == "refused":
        what = f"it moved on since it was looked at ({answers['holds'].output})"
        return HostFailed(what, where=host, remedy="apply again")
    return None


def takeover(answers: Answers) -> str | None:
    """Whose lease was taken over, in words."""
    lease = answers.get("lease")
    words = lease.output.split(" ") if lease else [""]
    return f"took over the lease that {words[1]} left (run {words[2]})" if words[0] == "taken-over" else None
