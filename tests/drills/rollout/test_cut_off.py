"""Hosts that die or hang and a controller that is killed, at each phase of a rollout: no host ever has half of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostmuster.secrets.reader import CURRENT
from tests.drills.rollout.change import Change
from tests.lab.failures.trial import ended
from tests.lab.secrets.sharers import HOSTS, UNIT, Sharers
from tests.waiting import await_that

GIVEN_UP_S = 75
"""A script that is stopped is ended within so many seconds; 42 on a machine that has nothing else to do."""
SLOW = "/run/systemd/system/reader.service.d"


def test_hosts_that_die_or_hang_at_any_phase_have_the_old_generation_or_the_new_one(
    sharers: Sharers, tmp_path: Path
) -> None:
    change = Change(sharers, "token-of-dying-hosts", tmp_path / "clone")
    before = dict.fromkeys(HOSTS, change.before)

    # One before it has staged anything, one between that and its switch.
    done = change.darkened(change.begun({"server-1": "staging", "worker-1": "confirmed"}), ["server-1", "worker-1"])
    assert done.exit == 1
    assert "nothing was switched: " in done.errors
    assert {host for host in HOSTS if f"{host}: " in done.document["error"]} == {"server-1", "worker-1"}
    assert change.looked_at() == before

    # In the middle of the switch one dies before its link, one after it, and one is stopped as it waits for the others.
    run = change.begun({"server-2": "switched.2", "worker-2": "switched.3"})
    await_that(lambda: change.held()["worker-1"] != change.before, 30, "worker-1 has switched")
    await_that(lambda: sharers.lab.run("worker-1", "pgrep -x head").ok, 30, "worker-1 waits for the others")
    sharers.on("worker-1", "kill -STOP $(cat /run/hostmuster.lock)")
    done = change.darkened(run, ["server-2", "worker-2"])
    assert done.exit == 1
    assert "no host was switched: " in done.errors
    held = change.looked_at()
    assert held["server-1"] == change.before, "who could, went back"
    await_that(lambda: sharers.is_free("worker-1"), GIVEN_UP_S, "who is stopped does not keep the host")

    # After the last meeting, before that is on record: the others hold.
    done = change.darkened(change.begun({"worker-1": "switched.7"}), ["worker-1"])
    assert done.exit == 1
    assert "not every host is known to be switched: worker-1: " in done.errors
    held = change.looked_at()
    assert held["server-1"] == held["server-2"] == held["worker-2"] != change.before
    assert_served_only_when_caught_up(sharers, held["worker-1"] == change.before)
    assert_no_third_generation(sharers, change)
    change.completed()
    assert change.after == held["server-1"]


def assert_served_only_when_caught_up(sharers: Sharers, is_old: bool) -> None:
    """worker-1 came back alone of all with the old generation, or with the new one; what then is to do is shown."""
    numbers = {host: int(line.split()[0]) for host, line in zip(HOSTS, sharers.generations(), strict=True)}
    listed = sharers.fleet.run("secrets.list").document
    assert listed["hosts"] == numbers
    if not is_old:
        return
    old, new = numbers["worker-1"], numbers["server-1"]
    said = f"it has generation {old}, "
    await_that(lambda: said in sharers.on("worker-1", "/etc/hostmuster/gate/gate tell"), 60, "its service waits")
    assert not sharers.lab.run("worker-1", f"systemctl is-active -q {UNIT}").ok
    waits = sharers.fleet.run("secrets.list").document["waits"]
    assert f"has {new}: it has to catch up first" in waits["worker-1"]
    told = sharers.fleet.hostmuster("secrets.list").output
    assert f"worker-1 has generation {old}, the others {new}: hostmuster secrets.rollout" in told


def assert_no_third_generation(sharers: Sharers, change: Change) -> None:
    """What may not serve beside the older one that some host serves with is refused, though others have the newer."""
    by_hand = f"install -d /run/hostmuster-gate && touch /run/hostmuster-gate/open && systemctl start {UNIT}"
    sharers.on("worker-1", by_hand)
    store = sharers.fleet.folder / "secrets" / f"{sharers.fleet.name}.yml"
    shutil.copy(store, store.with_suffix(".was"))
    change.turn("promoted")
    held = change.held()
    done = sharers.rollout()
    store.with_suffix(".was").replace(store)
    assert done.exit == 3
    assert "worker-1" in done.errors
    assert "may not serve together" in done.errors
    now = change.looked_at()
    assert all(now[host] in (held[host], change.before) for host in HOSTS)


def test_a_controller_killed_at_any_phase_leaves_the_old_generation_or_the_new_one(
    sharers: Sharers, tmp_path: Path
) -> None:
    change = Change(sharers, "token-of-a-dying-controller", tmp_path / "clone")
    before, was = dict.fromkeys(HOSTS, change.before), sharers.on("server-1", f"readlink {CURRENT}")
    for phase in ("confirmed", "switching"):  # of staging, which is over then; and of the switch, before they meet
        assert change.orphaned(change.begun({"server-2": phase})) == before

    run = change.begun({"server-2": "switched.3"})  # between the meetings: who waits there goes back
    waits = f"[ $(readlink {CURRENT}) != {was} ] && pgrep -x head"
    for host in before.keys() - {"server-2"}:
        await_that(lambda host=host: sharers.lab.run(host, waits).ok, 30, f"{host} waits")  # type: ignore[misc]
    held = change.orphaned(run)
    assert {**held, "server-2": change.before} == before

    held = change.orphaned(change.begun({"server-2": "switched"}))
    assert len(set(held.values())) == 1
    assert held != before

    slow = f"printf '[Service]\\nExecStartPre=/bin/sh -c \"while test -e {SLOW}; do sleep 0.1; done\"\\n'"
    sharers.on("server-2", f"mkdir -p {SLOW} && {slow} >{SLOW}/slow.conf && systemctl daemon-reload")
    run = sharers.start("secrets.rollout")
    is_starting = f"systemctl is-active {UNIT} | grep -x activating"
    await_that(lambda: sharers.lab.run("server-2", is_starting).ok, 60, "the second of four services restarts")
    sharers.on("server-2", f"mv {SLOW} /run/slow")
    assert change.orphaned(run) == held
    sharers.on("server-2", "rm -r /run/slow && systemctl daemon-reload")
    assert change.token in sharers.tokens()
    change.completed()


@pytest.fixture
def patient(sharers: Sharers) -> Iterator[Sharers]:
    """Their leases are as long as elsewhere."""
    usual = sharers.fleet.extra
    sharers.fleet.extra = {**usual, "lease_s": 600}
    sharers.want()
    yield sharers
    sharers.fleet.extra = usual
    sharers.want()


def test_nobody_else_begins_anything_while_a_rollout_is_under_way(patient: Sharers, tmp_path: Path) -> None:
    change = Change(patient, "token-of-two-operators", tmp_path / "clone")
    run = change.begun({"server-2": "staging"})
    for command in ("secrets.rollout", "apply"):
        done = change.clone.run(command)
        assert done.exit == 3
        assert "is at work on it (run " in done.errors
    assert set(change.looked_at().values()) == {change.before}
    patient.go_on(HOSTS)
    assert ended(run).exit == 0
    assert patient.tokens() == [change.token] * 4
