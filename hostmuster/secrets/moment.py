"""The moment at which what a unit reads last changed on its host: what was started since runs with it (O4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hostmuster.resources.step import PutLink, Run
from hostmuster.secrets.reader import CURRENT

FOLDER: Final = "/var/lib/hostmuster/changed"
"""A link for each unit, made anew in each switch that changes what the unit reads: the moment is the link's own, which
it keeps where a switch is taken back."""

MOMENT: Final = f"""\
moment() {{ stat -c %.6Y -- "{FOLDER}/$1" 2>/dev/null || stat -c %.6Y {CURRENT} 2>/dev/null; }}
"""
"""Shell: prints a unit's, in seconds since 1970 by the host's clock; where it has none, that of the last switch. Fails
where nothing was ever switched."""

# A unit without one, as on a host that an older hostmuster set up, has it from the switch before.
_KEEP: Final = f"""\
install -d -m 0700 {FOLDER} && cd {FOLDER} || exit
for unit; do [ -h "$unit" ] || [ ! -h {CURRENT} ] || cp -aT {CURRENT} "./$unit" || exit; done"""


def kept(units: Iterable[str]) -> Run:
    """Before a switch: that of each unit outlasts it."""
    return Run(("sh", "-c", _KEEP, "sh", *units))


def made(units: Iterable[str], number: int) -> list[PutLink]:
    """In the switch to a generation, after it: what was started before this counts as not having it."""
    return [PutLink(f"{FOLDER}/{unit}", f"generations/{number}") for unit in units]
