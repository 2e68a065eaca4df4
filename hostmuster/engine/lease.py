"""The lease a run holds on each host it works on, and what a host says when another run holds it."""

from __future__ import annotations

from dataclasses import dataclass

from hostmuster.errors import HostFailed, Refused
from hostmuster.onhost.answers import Answers
from hostmuster.onhost.program import line

LEASE_S = 120
"""Time to live; each exec renews it, and no exec is silent for longer."""


@dataclass(frozen=True)
class Lease:
    """`holder` is a person on a machine, `run` this run's id."""

    holder: str
    run: str

    @property
    def take(self) -> str:
        """The program line that takes or renews it."""
        return line("lease", self.holder, self.run, str(LEASE_S))

    def release(self, applied: str | None = None) -> str:
        """The program line that gives it back; `applied` is the git revision the host is now as declared by."""
        return line("release", self.run, *([applied] if applied else []))

    def holds(self, revision: int) -> str:
        """The line that stops the program unless the lease is ours and the host is as we saw it (compare-and-swap)."""
        return line("holds", self.run, str(revision))


def refusal(host: str, answers: Answers) -> Refused | HostFailed | None:
    """Why the host stopped our program, if it did: another's lease, or a host that moved on."""
    lease = answers.get("lease")
    if lease is not None and lease.status != 0:
        _, holder, run, seconds = lease.output.split(" ")
        return Refused(
            f"{holder} is at work on it (run {run}, lease for {seconds} s more)",
            where=host,
            remedy=f"wait for it, or `hostmuster unlock {host}` if that run is dead",
        )
    if answers.end.startswith("schema"):
        remedy = "update hostmuster here first"
        return Refused(f"its state has {answers.end}, written by a newer hostmuster", where=host, remedy=remedy)
    if answers.end == "refused":
        what = f"it moved on since it was looked at ({answers['holds'].output})"
        return HostFailed(what, where=host, remedy="apply again")
    return None


def takeover(answers: Answers) -> str | None:
    """Whose expired lease was taken over, in words."""
    words = answers["lease"].output.split(" ")
    return f"took over the expired lease of {words[1]} (run {words[2]})" if words[0] == "taken-over" else None
