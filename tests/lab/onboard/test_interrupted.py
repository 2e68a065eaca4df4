"""An onboarding cut off anywhere, controller killed or host without power, goes on where it was when typed again."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.failures.trial import Trial, TrialFleet, ended, engine_of
from tests.lab.fleet_on_lab import Finished

KILLED, CUT = "server-1", "worker-1"


def two_hosts(net: Subnet) -> list[Machine]:
    """One of each Debian: the controller of the first is killed, the second one loses power."""
    return [Machine(KILLED, net.at(11), 12, ("server",)), Machine(CUT, net.at(12), 13, ("worker",))]


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


def onboarding(trial: Trial, host: str) -> subprocess.Popen[str]:
    return trial.start("onboard", host)


def assert_done(trial: Trial, host: str, done: Finished) -> None:
    assert done.exit == 0, done.errors
    assert [line["status"] for line in done.document["checklist"]] == ["ok"] * 3
    assert trial.on(host, "cat /etc/trial.conf") == "one"
    assert trial.leftovers(host) == []


def cut_off(trial: Trial, step: str) -> None:
    """Both onboardings stop at a step: there one loses its controller, the other its host."""
    trial.pause(step, hosts=[KILLED, CUT])
    runs = {host: onboarding(trial, host) for host in (KILLED, CUT)}
    for host in runs:
        trial.paused(host, step, 60)
    engine = engine_of(runs[KILLED])
    runs[KILLED].kill()
    os.kill(engine, signal.SIGKILL)
    runs[KILLED].communicate()
    trial.lab.kill(CUT)
    failed = ended(runs[CUT])
    assert failed.exit == 1
    assert {line["status"] for line in failed.document["checklist"]} <= {"not_run", "failed"}
    trial.go_on([KILLED])
    trial.lab.start(CUT)


def again(trial: Trial) -> None:
    runs = {host: onboarding(trial, host) for host in (KILLED, CUT)}
    for host, run in runs.items():
        assert_done(trial, host, ended(run, 120))


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
