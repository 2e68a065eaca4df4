"""Tests on real hosts run side by side: one worker a folder of labs, since a folder's tests share one.

Such a folder is a package, whose lab goes when its last test is done: hosts that idle still watch and ask one another.
"""

from __future__ import annotations

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling


class FolderScheduling(LoadScopeScheduling):
    """A folder of tests/lab and tests/drills, or a file of other tests, goes to one worker as a whole."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return file.rpartition("/")[0] if file.startswith(("tests/lab/", "tests/drills/")) else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FolderScheduling:
    """xdist's hook. Its own marks for groups have no effect with pytest 9."""
    return FolderScheduling(config, log)
