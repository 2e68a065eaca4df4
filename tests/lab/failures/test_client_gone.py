"""A client that is gone: what it began ends within seconds, and nobody is kept off."""

from __future__ import annotations

import signal
import time
from functools import partial

import pytest

from tests.lab.failures.trial import HOSTS, Trial, ended, kill_engine
from tests.waiting import await_that

GONE_S = 15
"""Three on a machine that has nothing else to do: a dot a second, TERM, and KILL a second later."""


@pytest.mark.parametrize("argv", [["sleep", "301"], ["sh", "-c", "trap '' TERM; while :; do sleep 301; done"]])
def test_a_long_command_ends_with_the_engine_that_began_it(trial: Trial, argv: list[str]) -> None:
    trial.want(command={"argv": argv})
    run = trial.start("apply")
    for host in HOSTS:
        await_that(partial(runs, trial, host), 30, f"{host} runs the command")
    kill_engine(run)
    for host in HOSTS:
        await_that(partial(ran_out, trial, host), GONE_S, f"{host} has ended it")
        await_that(partial(trial.is_free, host), GONE_S, f"{host} has its lock free")
        trial.on(host, "test ! -e /srv/trial/done")
    trial.want(command={"argv": []})
    done = trial.apply()
    assert done.exit == 0
    assert "an open change was settled: reverted command switching" in done.errors


def test_a_daemon_that_a_command_leaves_behind_keeps_neither_lock_nor_answer(trial: Trial) -> None:
    trial.want(command={"argv": ["sh", "-c", "setsid sleep 302 & echo left it"]})
    began = time.monotonic()
    assert trial.apply().exit == 0
    assert time.monotonic() - began < 60
    for host in HOSTS:
        assert trial.is_free(host)
        trial.on(host, "pkill -f '^sleep 302$'")


def test_an_interrupted_run_ends_in_order_and_gives_its_leases_back(trial: Trial) -> None:
    trial.fleet.extra = {**trial.fleet.extra, "lease_s": 600}
    trial.want(plain={"text": "interrupted"}, armed={"number": 71})
    trial.pause("switching")
    run = trial.start("apply")
    for host in HOSTS:
        trial.paused(host, "switching")
    run.send_signal(signal.SIGINT)
    time.sleep(1)
    trial.go_on()
    done = ended(run)
    assert done.exit == 1
    assert "Traceback" not in done.errors
    for host in HOSTS:
        assert trial.on(host, "cat /etc/trial.conf") == "interrupted", "what was under way came to its end"
        assert trial.on(host, "cat /etc/trial-armed.conf") != "71", "nothing more was begun"
        assert trial.leftovers(host) == ["trial.service"], "the restart is owed"
    assert trial.apply().exit == 0


def runs(trial: Trial, host: str) -> bool:
    """Whether the long command is there."""
    return trial.lab.run(host, "pgrep -f '^sleep 301$'").ok


def ran_out(trial: Trial, host: str) -> bool:
    """Whether it is gone."""
    return not runs(trial, host)
