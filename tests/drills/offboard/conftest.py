"""Three members, one of which leaves in every test, and is taken in again after it."""

from __future__ import annotations

from tests.lab.onboard.conftest import members, site

__all__ = ["members", "site"]
