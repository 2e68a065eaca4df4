"""An onboarding cut off at every step, its controller killed or its host without power, is done when typed again."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests.lab.failures.trial import Trial, ended
from tests.lab.onboard.interruption import KILLED, again, assert_done, cut_off, onboarding

TRANSACTIONS = {"bootstrap": 1, "plain": 2, "armed": 3}
"""In their order; the trials' third item has no change of its own."""
STEPS = ("staging", "staged", "switching", "written.1", "switched.1", "switched", "confirmed")
PHASES = 10
"""An undisturbed onboarding tells of as many at least."""


def kill_all_of(run: subprocess.Popen[str]) -> None:
    """kill -9 of a command and its engine; near its end it may have none any more."""
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
    run.kill()
    for child in children:
        with suppress(ProcessLookupError):
            os.kill(int(child), signal.SIGKILL)
    run.communicate()


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("item", TRANSACTIONS)
def test_cut_off_at_a_step_of_a_transaction(bare: Trial, item: str, step: str) -> None:
    cut_off(bare, step, TRANSACTIONS[item])
    again(bare)


@pytest.mark.parametrize(("item", "transaction"), [("bootstrap", 1), ("armed", 2)])
def test_cut_off_while_a_change_is_armed(bare: Trial, item: str, transaction: int) -> None:
    cut_off(bare, "armed", transaction)
    again(bare)


def test_the_controller_killed_at_every_phase(bare: Trial) -> None:
    """On one host, one phase further each time, until a run comes to its end."""
    seen: list[str] = []
    for number in range(1, 60):
        bare.lab.reset(KILLED)
        run = onboarding(bare, KILLED)
        assert run.stderr is not None
        told = [line for _, line in zip(range(number), run.stderr, strict=False)]
        if len(told) < number:
            assert_done(bare, KILLED, ended(run))
            break
        kill_all_of(run)
        seen.append(told[-1].strip())
        assert_done(bare, KILLED, ended(onboarding(bare, KILLED), 120))
    assert len(seen) >= PHASES, seen
