"""What the hosts of a trial are brought to."""

from __future__ import annotations

from .items import armed, command, package, plain

CHECKLIST = (plain, armed, command, package)
