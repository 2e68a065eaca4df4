"""How long a token may live (K4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from hostmuster.errors import InputError, Problem

VARIABLE: Final = "PROJECT_BUILD_TOTAL_DEADLINE_SECONDS"
SERVICE_S: Final = 3600.0
"""Preview context and service tokens; also the default of a build's total deadline."""
DIAGNOSIS_S: Final = 900.0


def longest_s(environments: Iterable[tuple[str, Mapping[str, str]]]) -> float:
    """The largest of the lives that a token may be given, in seconds, over every environment as rendered.

    Each comes with where it is declared. Raises InputError for a deadline that is no number of seconds.
    """
    lives = [SERVICE_S, DIAGNOSIS_S]
    problems = []
    for where, values in environments:
        given = values.get(VARIABLE)
        if given is None:
            continue
        if given.isdecimal() and int(given) > 0:
            lives.append(float(given))
        else:
            problems.append(Problem(where, f"{VARIABLE} is no number of seconds", "write whole seconds, at least 1"))
    if problems:
        raise InputError(problems)
    return max(lives)
