"""The one transaction, stopped at every step by the death of the engine, of the script, and of the host."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import pytest

from tests.lab.failures.reader import Gist, Reader, gist
from tests.lab.failures.trial import CONFIRM_S, HOSTS, Trial, await_that, kill_engine

PLAIN = (
    "staging",
    "staged",
    "switching",
    "written.1",
    "switched.1",
    "switched.3",
    "written.2",
    "switched",
    "confirmed",
)
ARMED = ("staging", "staged", "switching", "armed", "written.1", "switched.2", "switched.5", "switched", "confirmed")
"""The steps of the items `plain` and `armed` (deploys/) for another text, another number."""

FREE_S = 15
"""A dead script's lock is free within so many seconds; two on a machine that has nothing else to do."""
CASES = [("plain", step) for step in PLAIN] + [("armed", step) for step in ARMED]


def text(number: int) -> str:
    """What the case with this number writes: another text each time, for the file's whole length."""
    return f"text-{number:04}"


def whole(word: str) -> Gist:
    """The file that everybody reads, with this text."""
    return gist(f"{word}\n".encode() * 20_000)


def is_armed(item: str, step: str) -> bool:
    """Whether at this step a change waits to be confirmed, and reverts by itself."""
    return item == "armed" and step not in ("staging", "staged", "switching", "confirmed")


class Fates:
    """Three hosts in the middle of a transaction: one loses the engine, one the script, one its power."""

    def __init__(self, number: int) -> None:
        turn = number % len(HOSTS)
        self.forsaken, self.shot, self.dark = HOSTS[turn:] + HOSTS[:turn]

    def befall(self, trial: Trial, step: str) -> list[set[Gist]]:
        """An apply that gets as far as this step everywhere. What readers of the file saw all along."""
        trial.pause(step)
        run = trial.start("apply")
        readers = [Reader(trial.lab.hosts[host], "/srv/trial/read") for host in HOSTS]
        for reader in readers:
            reader.start()
        scripts = {host: trial.paused(host, step) for host in HOSTS}
        trial.on(self.shot, f"kill -9 {scripts[self.shot]}")
        trial.lab.kill(self.dark)
        done = kill_engine(run)
        assert done.exit == 1
        assert "SIGKILL" in done.output
        for host in (self.forsaken, self.shot):
            await_that(partial(trial.is_free, host), FREE_S, f"{host} has its lock free")
        trial.go_on()
        trial.lab.start(self.dark)
        return [reader.stop() for reader in readers]


def running_with(trial: Trial, host: str) -> str:
    """The text that the service came up with."""
    return trial.on(host, "systemctl is-active --wait trial.service >/dev/null; cat /run/trial.seen")


def no_restart_is_lost(trial: Trial, host: str) -> None:
    """The service runs with what its file says, or the restart is owed."""
    await_that(lambda: trial.lab.run(host, "test -s /run/trial.seen").ok, 10, "the service is up")
    if running_with(trial, host) != trial.on(host, "cat /etc/trial.conf"):
        trial.on(host, "test -s /var/lib/hostmuster/owed/trial.service")


def resumed_elsewhere(trial: Trial, folder: Path) -> None:
    """Another apply, from a clone: kept off by the dead run's lease while it lasts, then all is as declared."""
    other = trial.fleet.clone(folder)
    began = time.monotonic()
    while (done := other.run("apply")).exit == 3:
        assert "is at work on it (run " in done.document["error"]
        assert " s more)" in done.document["error"]
        assert time.monotonic() - began < 10
        time.sleep(0.3)
    assert done.exit == 0, done.errors


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
        for host in (fates.forsaken, fates.shot):
            await_that(partial(is_reverted, trial, host, number), CONFIRM_S + 10, f"{host} reverted by itself")
    for host in HOSTS:
        no_restart_is_lost(trial, host)
    resumed_elsewhere(trial, tmp_path / "clone")
    for host in HOSTS:
        assert trial.on(host, "cat /etc/trial-armed.conf") == (str(number) if item == "armed" else unarmed)
        assert trial.on(host, "cat /etc/trial.conf") == (text(number) if item == "plain" else old)
        assert running_with(trial, host) == trial.on(host, "cat /etc/trial.conf")
        assert trial.leftovers(host) == []


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
        assert trial.on(host, "cat /etc/trial.conf; ls /srv/trial") == f"{old}\nlink\nread"
        assert running_with(trial, host) == old
        assert trial.leftovers(host) == []


def is_reverted(trial: Trial, host: str, number: int) -> bool:
    """Whether the armed change is gone, files and kernel, and nothing of it is left but what is owed."""
    said = trial.on(host, "cat /etc/trial-armed.conf; sysctl -n net.ipv4.igmp_max_memberships")
    return str(number) not in said.split() and trial.lab.run(host, "test ! -e /var/lib/hostmuster/change").ok
