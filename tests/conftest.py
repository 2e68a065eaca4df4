"""Tests on real hosts run side by side: one worker a folder of tests/lab, since a folder's tests share a lab."""

from __future__ import annotations

from pathlib import Path

import pytest

LAB = Path(__file__).parent / "lab"


@pytest.hookimpl(tryfirst=True)  # xdist reads the marks in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Groups the lab's tests by folder for pytest-xdist (--dist loadgroup), the folders' own files being one."""
    for item in items:
        if LAB in item.path.parents:
            item.add_marker(pytest.mark.xdist_group(item.path.parent.name))
