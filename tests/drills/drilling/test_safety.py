"""What keeps a drill from becoming a disaster: one at a time, typed names, an end whatever becomes of hostmuster."""

from __future__ import annotations

import subprocess

import pytest

from hostmuster.drills.killing import MARGIN_S
from hostmuster.monitor.checks import STATUS
from tests.drills.drilling.drilled import Drilled
from tests.lab.failures.trial import ended
from tests.waiting import await_that

UNDO_S = 10


def paused(drilled: Drilled, drill: str, step: str, **job: object) -> subprocess.Popen[str]:
    """An engine that waits at this step of a drill."""
    process = drilled.begun(drill, pause=step, undo_s=UNDO_S, **job)
    assert process.stdout is not None
    said = ""
    for said in process.stdout:
        if '"phase": "paused"' in said:
            return process
    raise AssertionError(f"it never came to {step}: {said}")


@pytest.mark.parametrize("step", ["armed", "caused", "watched", "undone"])
def test_a_cable_is_back_in_time_when_hostmuster_is_killed(drilled: Drilled, step: str) -> None:
    process = paused(drilled, "cut-host", step)
    assert (drilled.lab.hosts["server-1"].state == "cut") == (step in ("caused", "watched"))
    process.kill()
    process.wait()
    took = await_that(lambda: not drilled.at_rest(), UNDO_S + MARGIN_S, "server-1 is connected again")
    print(f"killed at {step}: at rest after {took:.1f} s")
    await_that(lambda: not drilled.probes(), 60, "no process of the drill lives")


@pytest.mark.parametrize("step", ["caused", "watched", "undone", "returned"])
def test_a_service_runs_again_in_time_when_hostmuster_is_killed(drilled: Drilled, step: str) -> None:
    process = paused(drilled, "runner-killed", step, fault=0)
    stopped = "systemctl is-active workload || true"
    assert (drilled.on("server-1", stopped) != "active") == (step in ("caused", "watched"))
    process.kill()
    process.wait()
    took = await_that(lambda: not drilled.at_rest(), UNDO_S + MARGIN_S, "nothing is left on server-1")
    print(f"killed at {step}: at rest after {took:.1f} s")
    await_that(lambda: drilled.on("server-1", stopped) == "active", 10, "the workload runs")


def test_a_second_drill_or_an_apply_is_refused_while_one_is_open(drilled: Drilled) -> None:
    process = paused(drilled, "cut-host", "looked")
    try:
        for words in (("drill.run", "server-process"), ("apply",)):
            done = drilled.fleet.run(*words)
            assert done.exit == 3, done.errors
            assert "tests is at work on it" in done.errors
    finally:
        process.kill()
        process.wait()


def test_a_fleet_that_is_not_steady_is_refused_and_says_what_is_wrong(drilled: Drilled) -> None:
    drilled.on("worker-1", "systemctl stop chrony")
    try:
        done = drilled.run("server-process")
    finally:
        drilled.on("worker-1", "systemctl start chrony")
    assert done.exit == 3
    assert "the fleet is not steady: worker-1: clock" in done.errors
    await_that(lambda: drilled.fleet.run("verify").exit == 0, 60, "all holds again")


def test_it_does_not_begin_while_a_declared_backup_is_overdue(drilled: Drilled) -> None:
    monitor = {"interval_s": 3, "backups": {"db": {"marker": "/srv/backed-up", "most_hours": 1}}}
    drilled.fleet.host_settings["server-2"] = {"monitor": monitor}
    drilled.declare()
    drilled.on("server-2", "touch -d '2 hours ago' /srv/backed-up")
    try:
        assert drilled.fleet.run("apply", "--limit", "server-2").exit == 0
        await_that(lambda: "db" in drilled.on("server-2", f"cat {STATUS}"), 30, "the monitor looks at the backup")
        for target in ("server-1", "server-2"):
            done = drilled.run("server-process", "--host", target)
            assert done.exit == 3
            assert "server-2: backup db: the last one is 2 h old, limit 60 min" in done.errors
        drilled.on("server-2", "touch /srv/backed-up")
        await_that(lambda: drilled.run("server-process").exit == 0, 60, "a drill is held, now that the backup is fresh")
    finally:
        del drilled.fleet.host_settings["server-2"]
        drilled.declare()
        assert drilled.fleet.run("apply", "--limit", "server-2").exit == 0


def test_when_nobody_serves_any_more_the_fault_is_taken_back_at_once(drilled: Drilled) -> None:
    drilled.declare(watch_s=60, undo_s=120, targets={"host": {"outage_s": 2, "back_s": 60}})
    try:
        process = drilled.fleet.start("drill.run", "cut-host", "--host", "server-1")
        await_that(lambda: drilled.lab.hosts["server-1"].state == "cut", 60, "server-1 is cut off")
        drilled.on("server-2", "systemctl stop workload")
        done = ended(process, 300)  # it waits half a minute for the other server, too
    finally:
        drilled.on("server-2", "systemctl start workload")
        drilled.declare()
    (told,) = done.document["drills"]
    found = drilled.evidence(told["id"])
    (fault,) = found.fault
    assert [(one.name, one.ok, one.seen) for one in fault.seen][-1] == (
        "somebody serves",
        False,
        "no server was ready for over 2 s, so the fault was taken back at once",
    )
    assert fault.undone is not None
    assert fault.undone - fault.at < 30, "it would have lasted for 60 s"
    # The other server is still down: that is the fleet's state, and the worse verdict.
    assert (done.exit, found.verdict) == (1, "failed")
    assert drilled.at_rest() == []


def test_where_it_is_no_lab_the_hosts_name_is_typed_and_a_cut_leaves_ssh_open(drilled: Drilled) -> None:
    drilled.fleet.extra["lab"] = False
    drilled.declare()
    try:
        for words in ((), ("--confirm", "server-2")):
            done = drilled.run("cut-host", *words)
            assert done.exit == 3
            assert "the host's name is to be typed again" in done.errors
        found = drilled.held("cut-host", "--confirm", "server-1")
        assert found.fault[0].undoing.startswith("on server-1's disk")
        assert drilled.run("server-host", "--confirm", "server-1").exit == 3
    finally:
        del drilled.fleet.extra["lab"]
        drilled.declare()
    assert drilled.at_rest() == []


def test_a_host_whose_redis_may_be_anybodys_is_refused(drilled: Drilled) -> None:
    shared = {
        "path": "/etc/default/shared",
        "consumer": "shell",
        "values": {"REDIS_URL": "redis://redis.example.net/0"},
    }
    drilled.fleet.host_settings["server-1"] = {"env_files": {"files": {"shared": shared}}}
    drilled.declare()
    try:
        done = drilled.run("server-process")
        assert done.exit == 3
        assert "REDIS_URL leads to redis.example.net, which is not of this fleet" in done.errors
        drilled.declare(own=["redis.example.net"])
        # The file is not there yet: so far it gets, and no further.
        assert "the fleet is not steady" in drilled.run("server-process").errors
    finally:
        del drilled.fleet.host_settings["server-1"]
        drilled.declare()
