"""Two runs at once, and what a dead one left: one is refused by the other's name, nobody waits for the dead."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from tests.lab.failures.trial import (
    BOOKWORM,
    CONFIRM_S,
    HOSTS,
    LEASE_S,
    THIRD,
    TRIXIE,
    Trial,
    ended,
    kill_engine,
    texts,
)
from tests.waiting import await_that


def test_a_second_apply_is_refused_by_the_holders_name_and_touches_nothing(trial: Trial, tmp_path: Path) -> None:
    second = trial.fleet.clone(tmp_path / "clone")
    second.settings["plain"] = {"text": "mine"}
    second.declare(host.machine for host in trial.lab.hosts.values())
    trial.pause("switching", hosts=[BOOKWORM])
    trial.fleet.extra = {**trial.fleet.extra, "lease_s": 60}
    trial.want(plain={"text": "theirs"})
    first = trial.start("apply")
    trial.paused(BOOKWORM, "switching")
    began = time.monotonic()
    refused = second.run("apply")
    assert time.monotonic() - began < 20, "the holder is named at once, though his command has the lock"
    assert refused.exit == 3
    assert "is at work on it (run " in refused.document["error"]
    assert "root@" in refused.document["error"]
    assert f"hostmuster unlock {BOOKWORM} --revert" in refused.document["error"]
    trial.go_on()
    assert ended(first).exit == 0
    assert texts(trial) == ["theirs"] * 3


def test_of_two_applies_that_begin_at_once_one_goes_on(trial: Trial, tmp_path: Path) -> None:
    other = trial.fleet.clone(tmp_path / "clone")
    other.settings = {**trial.fleet.settings, "plain": {"text": "other"}}
    other.declare(host.machine for host in trial.lab.hosts.values())
    trial.want(plain={"text": "first"})
    runs = {"first": trial.start("apply"), "other": trial.start("apply", fleet=other)}
    exits = {name: ended(run).exit for name, run in runs.items()}
    assert sorted(exits.values()) in ([0, 3], [0, 0]), "two that did not meet are both done"
    if 3 in exits.values():
        assert texts(trial) == [next(name for name, code in exits.items() if code == 0)] * 3


def test_the_run_of_a_killed_engine_is_not_waited_for_where_it_is_known_to_be_dead(trial: Trial) -> None:
    trial.fleet.extra = {**trial.fleet.extra, "lease_s": 600}
    trial.pause("switched.1")
    trial.want(plain={"text": "killed"})
    run = trial.start("apply")
    for host in HOSTS:
        trial.paused(host, "switched.1")
    kill_engine(run)
    for host in HOSTS:
        await_that(partial(trial.is_free, host), 15, "the dead run's script is gone")
    trial.go_on()
    try:
        again = trial.apply()
    finally:
        trial.fleet.extra = {**trial.fleet.extra, "lease_s": LEASE_S}
    assert again.exit == 0, again.errors
    assert "took over the lease that root@" in again.errors
    assert "an open change was settled: reverted plain switching" in again.errors
    assert texts(trial) == ["killed"] * 3


def left_waiting(trial: Trial, number: int) -> None:
    """A killed engine left an armed change on every host, which waits for its confirmation, longer than the test."""
    trial.fleet.extra = {**trial.fleet.extra, "confirm_s": 600, "lease_s": 600}
    trial.want(armed={"number": number})
    trial.pause("switched")
    run = trial.start("apply")
    for host in HOSTS:
        trial.paused(host, "switched")
    kill_engine(run)
    trial.fleet.extra = {**trial.fleet.extra, "confirm_s": CONFIRM_S, "lease_s": LEASE_S}
    for host in HOSTS:
        await_that(partial(trial.is_free, host), 15, "the dead run's script is gone")
    trial.go_on()


def test_unlock_shows_what_a_dead_run_left_and_confirms_or_reverts_it(trial: Trial, tmp_path: Path) -> None:
    before = trial.on(TRIXIE, "cat /etc/trial-armed.conf")
    left_waiting(trial, 31)
    other = trial.fleet.clone(tmp_path / "clone")
    refused = other.run("apply", "--limit", BOOKWORM)
    assert refused.exit == 3
    shown = other.run("unlock", BOOKWORM)
    found = shown.document["hosts"][BOOKWORM]
    assert shown.exit == 0
    assert found["state"].startswith("change open: switched ")
    assert "root@" in found["holder"]
    assert "lease for " in found["holder"]
    resumed = other.run("unlock", BOOKWORM, "--resume")
    assert resumed.document["hosts"][BOOKWORM]["settled"] == "confirmed armed switched"
    assert resumed.document["hosts"][BOOKWORM]["holder"] is None
    reverted = other.run("unlock", TRIXIE, "--revert")
    assert reverted.document["hosts"][TRIXIE]["settled"] == "reverted armed switched"
    assert trial.on(BOOKWORM, "cat /etc/trial-armed.conf") == "31"
    assert trial.on(TRIXIE, "cat /etc/trial-armed.conf") == before
    for host in (BOOKWORM, TRIXIE):
        assert [line for line in trial.leftovers(host) if line != "trial.service"] == []
    assert other.run("unlock", THIRD, "--resume").exit == 0
    done = other.run("apply")
    assert done.exit == 0, done.errors
    assert [trial.on(host, "cat /etc/trial-armed.conf") for host in HOSTS] == ["31"] * 3


def test_a_frozen_host_refuses_every_change_with_who_and_why_until_it_is_thawed(trial: Trial) -> None:
    trial.want(plain={"text": "thawed"})
    assert trial.fleet.run("freeze", TRIXIE, "--reason", "new disks, ask Ada").exit == 0
    refused = trial.apply()
    assert refused.exit == 3
    assert "new disks, ask Ada" in refused.document["error"]
    assert "by root@" in refused.document["error"]
    assert "thawed" not in texts(trial)
    assert trial.fleet.run("check").exit == 2
    assert trial.apply("--limit", BOOKWORM).exit == 0
    assert trial.fleet.run("thaw", TRIXIE).exit == 0
    assert trial.apply().exit == 0
    assert texts(trial) == ["thawed"] * 3
