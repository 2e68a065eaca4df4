"""The benchmark's checklist."""

from __future__ import annotations

from benchmarks.items import services, settings

CHECKLIST = (settings, services)
