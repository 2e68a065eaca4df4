"""Hosts in the middle of a transaction, and what befalls them there; how they stand afterwards."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from tests.lab.failures.reader import Gist, Reader, gist
from tests.lab.failures.trial import HOSTS, Trial, kill_engine
from tests.waiting import await_that

FREE_S = 15
"""A dead script's lock is free within so many seconds; two on a machine that has nothing else to do."""


def text(number: int) -> str:
    """What the case with this number writes: another text each time, for the file's whole length."""
    return f"text-{number:04}"


def whole(word: str) -> Gist:
    """The file that everybody reads, with this text."""
    return gist(f"{word}\n".encode() * 20_000)


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


def reverted_before_the_network(trial: Trial, host: str) -> bool:
    """Whether the record of the change was gone, the last step of a revert, when networkd began to start."""
    over = trial.on(host, "find /var/lib/hostmuster -maxdepth 0 -printf '%T@'")
    log = "journalctl -q -b -o short-unix -u systemd-networkd.service"
    return float(over) < float(trial.on(host, f"{log} | grep Starting | tail -n 1 | cut -d ' ' -f 1"))


def is_reverted(trial: Trial, host: str, number: int) -> bool:
    """Whether the armed change is gone, files and kernel, and nothing of it is left but what is owed."""
    said = trial.on(host, "cat /etc/trial-armed.conf; sysctl -n net.ipv4.igmp_max_memberships")
    return str(number) not in said.split() and trial.lab.run(host, "test ! -e /var/lib/hostmuster/change").ok
