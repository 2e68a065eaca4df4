"""A unit's own file, checked by systemd itself: here before any host is touched, there before the switch."""

from __future__ import annotations

from collections.abc import Mapping

from hostmuster.resources.file import UNIT_FOLDER, File
from hostmuster.template import Templated

# The temp file beside the unit has no unit's name, so the parser is told the one it will have.
_VERIFY = 'systemd-analyze verify --man=no --recursive-errors=no "$1:$0"'


def unit_file(name: str, template: str, values: Mapping[str, object]) -> Templated:
    """The file of a unit from its template. A change owes the unit a restart; a timer, which serves nobody, is started
    anew at once."""
    restarts = () if name.endswith(".timer") else (name,)
    check = ("sh", "-c", _VERIFY, name)
    file = File(f"{UNIT_FOLDER}{name}", b"", validate=check, restarts=restarts, lint="systemd-unit")
    return Templated(file, template, values)
