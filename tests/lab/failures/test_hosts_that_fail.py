"""A host that fails, fails alone: it is named with what to do, the others are done, and the exit code is 1."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.lab.failures.trial import BOOKWORM, HOSTS, THIRD, TRIXIE, Trial, ended, texts
from tests.lab.fleet_on_lab import Finished
from tests.waiting import await_that

SILENCE_S = 5
NAMED_S = 40
"""Any failure is named within so many seconds of its run's begin, start of the engine and all else included."""


@pytest.fixture
def impatient(trial: Trial) -> Iterator[Trial]:
    """A fleet whose hosts may be silent for five seconds."""
    before = trial.fleet.extra
    trial.fleet.extra = {**before, "silence_s": SILENCE_S}
    yield trial
    trial.fleet.extra = before


def failed_alone(trial: Trial, done: Finished, text: str, **failures: tuple[str, str]) -> None:
    """These hosts failed, each with these words and this remedy; the others have the text."""
    assert done.exit == 1, done.errors
    for host in HOSTS:
        report = done.document["hosts"][host]
        found = failures.get(host.replace("-", "_"))
        if found is None:
            assert report["reachable"], report
            assert trial.on(host, "cat /etc/trial.conf") == text
        else:
            error = report["error"]
            assert found[0] in error, error
            assert found[1] in error, error
            assert f"{host}: failed" in done.errors


def test_a_host_without_power_and_one_that_refuses_the_key_fail_alone(trial: Trial) -> None:
    keys = "/var/lib/hostmuster-login/.ssh/authorized_keys"
    trial.lab.kill(THIRD)
    trial.on(BOOKWORM, f"mv {keys} {keys}.away")
    trial.want(plain={"text": "two"})
    began = time.monotonic()
    try:
        done = trial.apply()
    finally:
        trial.on(BOOKWORM, f"mv {keys}.away {keys}")
    assert time.monotonic() - began < NAMED_S
    failed_alone(
        trial,
        done,
        "two",
        worker_2=("no SSH at ", "see that it is up"),
        server_1=("Authentication error", "bootstrap the host, or add the automation key"),
    )


def test_a_host_with_another_host_key_and_one_that_hangs_fail_alone(impatient: Trial) -> None:
    trial = impatient
    pins = trial.fleet.known_hosts
    pinned = pins.read_text()
    address = trial.lab.hosts[THIRD].machine.address
    kept = [line for line in pinned.splitlines() if not line.startswith(f"{address} ")]
    pins.write_text("\n".join([*kept, f"{address} {trial.lab.hosts[TRIXIE].host_key}", ""]))
    trial.pause("switching", hosts=[BOOKWORM])
    trial.want(plain={"text": "three"})
    began = time.monotonic()
    run = trial.start("apply")
    try:
        script = trial.paused(BOOKWORM, "switching")
        trial.on(BOOKWORM, f"kill -STOP {script}")
        done = ended(run)
    finally:
        pins.write_text(pinned)
    assert time.monotonic() - began < NAMED_S
    failed_alone(
        trial,
        done,
        "three",
        worker_2=("SSH host key error", "onboard HOST --replace"),
        server_1=(f"hangs: no sign of life for {SILENCE_S} s", "see that it is up"),
    )
    assert trial.on(THIRD, "cat /etc/trial.conf") != "three"
    trial.go_on([BOOKWORM])
    trial.on(BOOKWORM, f"kill -CONT {script}")
    await_that(lambda: trial.is_free(BOOKWORM), 15, "the lock is free once the script goes on")


def test_a_host_cut_off_in_a_command_and_one_that_drops_a_transfer_fail_alone(impatient: Trial) -> None:
    trial = impatient
    trial.pause("switching", hosts=[BOOKWORM])
    trial.want(plain={"text": "four", "lines": 200_000})
    began = time.monotonic()
    with connection_killed_in_a_transfer(trial, THIRD):
        run = trial.start("apply")
        trial.paused(BOOKWORM, "switching")
        trial.lab.cut(BOOKWORM)
        done = ended(run, 120)
    assert time.monotonic() - began < NAMED_S + 20, "a megabyte went to three hosts, too"
    failed_alone(
        trial,
        done,
        "four",
        server_1=(f"hangs: no sign of life for {SILENCE_S} s", "see that it is up"),
        worker_2=("", "settled by the next apply"),
    )
    trial.go_on([BOOKWORM])
    trial.lab.heal(BOOKWORM)
    trial.want(plain={"text": "five", "lines": 20_000})
    await_that(lambda: trial.apply().exit == 0, 60, "the next apply does all hosts")


@pytest.mark.parametrize(
    ("breaks", "said"),
    [("compare", "KeyError: '/srv/trial/done' ("), ("steps", "ValueError: ('true',) (")],
)
def test_a_kind_of_resource_that_raises_fails_its_item_on_that_host_alone(trial: Trial, breaks: str, said: str) -> None:
    command = {"argv": ["true"], "breaks": breaks}
    trial.fleet.host_settings = {THIRD: {"command": command}}
    trial.want(plain={"text": f"broken-{breaks}"})
    for words, others in ((("check",), "differs"), (("apply",), "changed")):
        done = trial.fleet.run(*words)
        assert done.exit == 1, done.errors
        assert "Traceback" not in done.output + done.errors
        for host in HOSTS:
            items = done.document["hosts"][host]["items"]
            assert items["plain"]["status"] == others
            assert items["command"]["status"] == ("failed" if host == THIRD else "ok")
        reason = done.document["hosts"][THIRD]["items"]["command"]["reason"]
        assert reason.startswith(said)
        assert "deploys/items/command.py:" in reason
        assert said in done.errors
    assert texts(trial) == [f"broken-{breaks}"] * 3


@contextmanager
def connection_killed_in_a_transfer(trial: Trial, host: str) -> Iterator[None]:
    """As soon as a script reads a long program there, which comes slowly, its SSH connection is killed."""
    wide = trial.on(host, "sysctl -n net.ipv4.tcp_rmem")
    trial.on(host, "sysctl -q -w net.ipv4.tcp_rmem='4096 8192 8192'")
    killed: list[int] = []
    over = threading.Event()

    def watch() -> None:
        while not killed and not over.is_set():
            running = commands(trial, host)
            if any(re.match(rb"head\0-c\0\d{7}", argv) for argv in running.values()):
                killed.extend(p for p, argv in running.items() if argv.startswith(b"sshd") and b": hostmuster" in argv)
                for process in killed:
                    os.kill(process, signal.SIGKILL)

    killer = threading.Thread(target=watch)
    killer.start()
    try:
        yield
        assert killed, "no long program came"
    finally:
        over.set()
        killer.join()
        trial.on(host, f"sysctl -q -w net.ipv4.tcp_rmem='{wide}'")


def commands(trial: Trial, host: str) -> dict[int, bytes]:
    """The argv of every process of a host, by its id on this machine."""
    found = {}
    for process in trial.lab.hosts[host].control_group.processes():
        with suppress(OSError):  # it has ended
            found[process] = Path(f"/proc/{process}/cmdline").read_bytes()
    return found
