"""The one error tree: each error names what is wrong, where, and what to do about it."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from dataclasses import dataclass


class HostmusterError(Exception):
    """Something failed after work began (exit code 1).

    `where` is a host, or `file:line`; `remedy` is what the operator does next.
    """

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f"\n    {self.remedy}" if self.remedy else ""
        return f"{place}{self.what}{remedy}"


def of_file(error: OSError) -> HostmusterError:
    """What this machine itself refused: a file, or a program that is not there. Another OSError is raised again.

    A write into a full disk does not name its file.
    """
    if error.errno in (errno.ENOSPC, errno.EDQUOT) and not error.filename:
        return HostmusterError(str(error.strerror), remedy="see to this machine's disk, then type it again")
    if not error.filename:
        raise error
    remedy = "see to the disk, the permissions or the missing program, then type it again"
    return HostmusterError(str(error.strerror), where=str(error.filename), remedy=remedy)


class HostFailed(HostmusterError):
    """One host could not be reached, refused us, or failed a step; the others go on."""


class Refused(HostmusterError):
    """Refused before anything was touched (exit code 3)."""

    exit_code = 3


class RefusedByHosts(Refused):
    """Several hosts refused; each with its reason and remedy."""

    def __init__(self, refusals: Sequence[HostmusterError]) -> None:
        super().__init__(f"{len(refusals)} hosts refused; nothing was touched")
        self.refusals = tuple(refusals)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.refusals), self.what])


@dataclass(frozen=True)
class Problem:
    """One mistake in what a person wrote."""

    where: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}\n    {self.remedy}"


class InputError(Refused):
    """Every mistake found in the input, reported at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        count = len(problems)
        super().__init__(f"{count} mistake{'s' if count != 1 else ''} in the input; nothing was touched")
        self.problems = tuple(problems)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.problems), self.what])
