"""Changes that are taken back: by the host itself, by a failure, and whatever dies in the middle of that."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.lab.failures.fates import (
    Fates,
    is_reverted,
    no_restart_is_lost,
    resumed_elsewhere,
    running_with,
    text,
    whole,
)
from tests.lab.failures.trial import CONFIRM_S, HOSTS, Trial, ended, kill_engine
from tests.waiting import await_that


@pytest.mark.parametrize("step", ["reverting", "reverted"])
def test_a_revert_by_the_timer_survives_whatever_dies_in_the_middle_of_it(
    trial: Trial, step: str, tmp_path: Path
) -> None:
    number = 41 if step == "reverting" else 42
    trial.want(armed={"number": number})
    trial.pause("switched", step)
    run = trial.start("apply")
    for host in HOSTS:
        trial.paused(host, "switched")
    kill_engine(run)
    fates = Fates(number)
    scripts = {host: trial.paused(host, step) for host in HOSTS}
    trial.on(fates.shot, f"kill -9 {scripts[fates.shot]}")
    trial.lab.kill(fates.dark)
    trial.go_on()
    trial.lab.start(fates.dark)
    assert is_reverted(trial, fates.dark, number), "the boot brought it back up"
    for host in (fates.forsaken, fates.shot):
        await_that(partial(is_reverted, trial, host, number), CONFIRM_S + 10, f"{host} reverted by itself")
    resumed_elsewhere(trial, tmp_path / "clone")
    for host in HOSTS:
        assert trial.on(host, "cat /etc/trial-armed.conf") == str(number)
        assert trial.leftovers(host) == []


@pytest.mark.parametrize("step", ["reverting", "reverted"])
def test_a_failed_change_is_taken_back_whatever_dies_in_the_middle_of_that(
    trial: Trial, step: str, tmp_path: Path
) -> None:
    old = trial.on(HOSTS[0], "cat /etc/trial.conf")
    trial.want(plain={"text": text(90), "spoiled": True})
    fates = Fates(0 if step == "reverting" else 1)
    for host, found in zip(HOSTS, fates.befall(trial, step), strict=True):
        assert found <= {whole(old), whole(text(90))}, f"{host}: a reader saw something else"
    for host in HOSTS:
        no_restart_is_lost(trial, host)
    trial.want(plain={"text": old})
    resumed_elsewhere(trial, tmp_path / "clone")
    for host in HOSTS:
        assert trial.on(host, "cat /etc/trial.conf; ls --ignore=secret /srv/trial") == f"{old}\nlink\nread"
        assert running_with(trial, host) == old
        assert trial.leftovers(host) == []


def test_an_armed_change_whose_own_command_hangs_is_taken_back_in_time(trial: Trial) -> None:
    hang = ["sh", "-c", "grep -q 43 /etc/trial-armed.conf && exec sleep 303; true"]
    trial.want(armed={"number": 43, "told": [hang]})
    run = trial.start("apply")
    for host in HOSTS:
        await_that(partial(hangs, trial, host), 60, f"{host} hangs")
    for host in HOSTS:
        await_that(partial(is_reverted, trial, host, 43), CONFIRM_S + 20, f"{host} reverted by itself")
        assert not hangs(trial, host), "what hung is ended too"
    done = ended(run)
    assert done.exit == 1
    assert all("answer was cut" in report["error"] for report in done.document["hosts"].values())


def test_a_change_on_another_file_system_is_taken_back_too(trial: Trial) -> None:
    for host in HOSTS:
        trial.on(host, "mount -t tmpfs tmpfs /srv/trial; echo mine > /srv/trial/read; ln -s mine /srv/trial/link")
    try:
        trial.want(plain={"text": text(91), "spoiled": True})
        done = trial.apply()
        assert done.exit == 1
        for host in HOSTS:
            assert done.item(host, "plain")["reason"].startswith("false exited 1")
            assert trial.on(host, "cat /srv/trial/read; readlink /srv/trial/link; ls -A /srv/trial") == (
                "mine\nmine\nlink\nread"
            )
            assert trial.leftovers(host) == []
    finally:
        for host in HOSTS:
            trial.on(host, "umount /srv/trial")


def hangs(trial: Trial, host: str) -> bool:
    """Whether the command that never ends runs there."""
    return trial.lab.run(host, "pgrep -f '^sleep 303$'").ok
