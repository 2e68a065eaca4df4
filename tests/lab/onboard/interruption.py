"""Two onboardings that stop at one step: there one loses its controller, the other its host; then both go on."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.failures.trial import Trial, TrialFleet, ended, engine_of
from tests.lab.fleet_on_lab import Finished

KILLED, CUT = "server-1", "worker-1"


def two_hosts(net: Subnet) -> list[Machine]:
    """One of each Debian: the controller of the first is killed, the second one loses power."""
    return [Machine(KILLED, net.at(11), 12, ("server",)), Machine(CUT, net.at(12), 13, ("worker",))]


@contextmanager
def bare_hosts(folder: Path, name: str) -> Iterator[Trial]:
    """Both with the trials' small checklist, nothing done on them yet."""
    fleet = TrialFleet(folder, name)
    with Lab.up(two_hosts, name=name, known_hosts=fleet.known_hosts) as lab:
        trial = Trial(fleet, lab)
        fleet.extra |= {"silence_s": 5}
        trial.want(plain={"text": "one"}, armed={"number": 1}, command={"argv": []})
        assert fleet.hostmuster("secrets.init").exit == 0
        yield trial


def onboarding(trial: Trial, host: str) -> subprocess.Popen[str]:
    return trial.start("onboard", host)


def assert_done(trial: Trial, host: str, done: Finished) -> None:
    assert done.exit == 0, done.errors
    assert {line["status"] for line in done.document["checklist"]} == {"ok"}
    assert trial.on(host, "cat /etc/trial.conf") == "one"
    assert trial.leftovers(host) == []


def cut_off(trial: Trial, step: str, transaction: int = 1) -> None:
    """Both stop at this step of their so-manyth transaction: there one loses its controller, the other its host."""
    trial.pause(step, hosts=[KILLED, CUT])
    runs = {host: onboarding(trial, host) for host in (KILLED, CUT)}
    # Side by side: one that waits for the other for too long is given up as one that hangs.
    with ThreadPoolExecutor(len(runs)) as pool:
        for reached in [pool.submit(come_to, trial, host, step, transaction) for host in runs]:
            reached.result()
    engine = engine_of(runs[KILLED])
    runs[KILLED].kill()
    os.kill(engine, signal.SIGKILL)
    runs[KILLED].communicate()
    trial.lab.kill(CUT)
    failed = ended(runs[CUT])
    assert failed.exit == 1
    assert {line["status"] for line in failed.document["checklist"]} <= {"ok", "not_run", "failed"}
    trial.go_on([KILLED])
    trial.lab.start(CUT)


def come_to(trial: Trial, host: str, step: str, transaction: int) -> None:
    """Let it go on at this step of each transaction before that one."""
    for _ in range(transaction - 1):
        trial.paused(host, step, 120)
        # The next transaction is an exec of its own: the pause is there again long before it.
        trial.on(host, "p=/run/hostmuster-pause; mv $p $p.off; while [ -e $p.d ]; do sleep 0.01; done; mv $p.off $p")
    trial.paused(host, step, 120)


def again(trial: Trial) -> None:
    runs = {host: onboarding(trial, host) for host in (KILLED, CUT)}
    for host, run in runs.items():
        assert_done(trial, host, ended(run, 120))
