"""The one ordered list: what every host of this project's fleets is brought to, line by line."""

from __future__ import annotations

from deploys.items import access, clock, env_files, units, workspace

CHECKLIST = (access, clock, workspace, env_files, units)
