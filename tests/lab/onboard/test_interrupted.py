"""An onboarding cut off anywhere, controller killed or host without power, goes on where it was when typed again."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from hostmuster.lab.lab import Lab
from tests.lab.failures.trial import Trial, TrialFleet, ended
from tests.lab.onboard.interruption import KILLED, again, assert_done, cut_off, onboarding, two_hosts


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    """Both with the trials' small checklist, nothing done on them yet."""
    name = f"test-{os.getpid()}-onboard"
    fleet = TrialFleet(tmp_path_factory.mktemp("onboard") / "project", name)
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


def test_cut_off_in_the_bootstrap_before_it_is_confirmed(bare: Trial) -> None:
    cut_off(bare, "switched")
    again(bare)


def test_cut_off_in_the_apply_while_files_are_switched(bare: Trial) -> None:
    assert bare.fleet.hostmuster("bootstrap").exit == 0
    cut_off(bare, "switching")
    again(bare)


def test_a_ctrl_c_ends_it_with_the_host_in_order_and_it_goes_on(bare: Trial) -> None:
    bare.pause("switching", hosts=[KILLED])
    run = onboarding(bare, KILLED)
    bare.paused(KILLED, "switching", 60)
    run.send_signal(signal.SIGINT)
    bare.go_on([KILLED])
    interrupted = ended(run)
    assert interrupted.exit == 1
    assert "interrupted" in interrupted.errors
    assert_done(bare, KILLED, ended(onboarding(bare, KILLED)))
