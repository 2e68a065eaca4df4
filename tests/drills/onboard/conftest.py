"""Two hosts for every way in which an onboarding may be cut off; reset between."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hostmuster.lab.lab import Lab
from tests.lab.failures.trial import Trial, TrialFleet
from tests.lab.onboard.interruption import two_hosts


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    """With the trials' small checklist, nothing done on them yet."""
    name = f"test-{os.getpid()}-steps"
    fleet = TrialFleet(tmp_path_factory.mktemp("steps") / "project", name)
    with Lab.up(two_hosts, name=name, known_hosts=fleet.known_hosts) as lab:
        trial = Trial(fleet, lab)
        fleet.extra |= {"silence_s": 5}
        trial.want(plain={"text": "one"}, armed={"number": 1}, command={"argv": []})
        assert fleet.hostmuster("secrets.init").exit == 0
        yield trial


@pytest.fixture
def bare(shared: Trial) -> Trial:
    """New disks: nobody but root knows these hosts."""
    shared.lab.reset()
    return shared
