"""The one ordered list: what every host of this project's fleets is brought to, line by line."""

from __future__ import annotations

from deploys.items import access

CHECKLIST = (access,)
