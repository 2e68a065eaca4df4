"""Two hosts for every way in which an onboarding may be cut off; reset between."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.lab.failures.trial import Trial
from tests.lab.onboard.interruption import bare_hosts


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    """One lab for all of a module."""
    with bare_hosts(tmp_path_factory.mktemp("steps") / "project", f"test-{os.getpid()}-steps") as trial:
        yield trial


@pytest.fixture
def bare(shared: Trial) -> Trial:
    """New disks: nobody but root knows these hosts."""
    shared.lab.reset()
    return shared
