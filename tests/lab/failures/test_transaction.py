"""The one transaction, stopped at every step by the death of the engine, of the script, and of the host."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.lab.failures.fates import (
    Fates,
    is_reverted,
    no_restart_is_lost,
    resumed_elsewhere,
    reverted_before_the_network,
    running_with,
    text,
    whole,
)
from tests.lab.failures.trial import CONFIRM_S, HOSTS, Trial
from tests.waiting import await_that

PLAIN = ("staging", "staged", "switching", "written.1", "switched.1", "switched.3", "switched", "confirmed")
ARMED = ("switching", "armed", "written.1", "switched.5", "switched", "confirmed")
"""Steps of the items `plain` and `armed` (deploys/) for another text, another number; they begin in the same way."""

CASES = [("plain", step) for step in PLAIN] + [("armed", step) for step in ARMED]


def is_armed(item: str, step: str) -> bool:
    """Whether at this step a change waits to be confirmed, and reverts by itself."""
    return item == "armed" and step not in ("switching", "confirmed")


@pytest.mark.parametrize(("item", "step"), CASES, ids=[f"{item}-{step}" for item, step in CASES])
def test_a_change_survives_whatever_dies_in_the_middle_of_it(
    trial: Trial, item: str, step: str, tmp_path: Path
) -> None:
    number = CASES.index((item, step)) + 2
    old, unarmed = trial.on(HOSTS[0], "cat /etc/trial.conf /etc/trial-armed.conf").split()
    if item == "plain":
        trial.want(plain={"text": text(number)})
    else:
        trial.want(plain={"text": old}, armed={"number": number})
    fates = Fates(number)
    seen = fates.befall(trial, step)
    for host, found in zip(HOSTS, seen, strict=True):
        assert found <= {whole(old), whole(text(number))}, f"{host}: a reader saw something else"
    if is_armed(item, step):
        assert trial.on(fates.dark, "cat /etc/trial-armed.conf") != str(number), "the boot brought it back up"
        assert reverted_before_the_network(trial, fates.dark)
        for host in (fates.forsaken, fates.shot):
            await_that(partial(is_reverted, trial, host, number), CONFIRM_S + 10, f"{host} reverted by itself")
    if step == "confirmed" or (item, step) == ("plain", "switched"):
        has = trial.on(fates.dark, f"cat /etc/{'trial' if item == 'plain' else 'trial-armed'}.conf")
        assert has == (text(number) if item == "plain" else str(number)), "what was done outlives the power loss"
    for host in HOSTS:
        no_restart_is_lost(trial, host)
    resumed_elsewhere(trial, tmp_path / "clone")
    for host in HOSTS:
        assert trial.on(host, "cat /etc/trial-armed.conf") == (str(number) if item == "armed" else unarmed)
        assert trial.on(host, "cat /etc/trial.conf") == (text(number) if item == "plain" else old)
        assert running_with(trial, host) == trial.on(host, "cat /etc/trial.conf")
        assert trial.leftovers(host) == []
