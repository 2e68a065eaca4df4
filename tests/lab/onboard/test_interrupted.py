"""An onboarding cut off anywhere, controller killed or host without power, goes on where it was when typed again."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from tests.lab.failures.trial import Trial, ended
from tests.lab.onboard.interruption import KILLED, again, assert_done, bare_hosts, cut_off, onboarding


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    """One lab for all of this module."""
    with bare_hosts(tmp_path_factory.mktemp("onboard") / "project", f"test-{os.getpid()}-onboard") as trial:
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
