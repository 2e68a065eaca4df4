"""The one ordered list: what every host of this project's fleets is brought to, line by line."""

from __future__ import annotations

from deploys.items import access, clock, egress, env_files, firewall, units, workspace

CHECKLIST = (access, clock, egress, workspace, env_files, units, firewall)
