"""Evidence that runs left under reports/: found for a fleet, newest first."""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from hostmuster.report.document import Evidence, Part, Turned

MOST = 50
"""Drills, and rotations, that one page shows; what is older lies beside its own evidence."""
_Kind = TypeVar("_Kind", bound=Part)


def drills(reports: Path, hosts: Container[str]) -> tuple[Evidence, ...]:
    """The newest drills on these hosts. A file that is no evidence is passed over: it is not ours to judge here."""
    found = [one for one in _read(reports, Evidence) if one.host in hosts]
    return tuple(sorted(found, key=lambda one: one.started or "", reverse=True)[:MOST])


def rotations(reports: Path, fleet: str) -> tuple[Turned, ...]:
    """The newest rollouts and rotations of this fleet."""
    found = [one for one in _read(reports, Turned) if one.fleet == fleet]
    return tuple(sorted(found, key=lambda one: one.started, reverse=True)[:MOST])


def _read(reports: Path, kind: type[_Kind]) -> Iterator[_Kind]:
    for path in reports.glob("*/evidence.json"):
        try:
            yield kind.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            continue
