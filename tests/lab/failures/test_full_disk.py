"""A full disk: named, with how full it is, and everything is as before. What was there first is kept, within bounds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.lab.failures.trial import BOOKWORM, HOSTS, THIRD, TRIXIE, Trial, ended, texts

FILL = """size=$(df --output=avail -B1 /srv | tail -n 1)
fallocate -l $((size - 1048576)) /srv/filler; dd if=/dev/zero of=/srv/filler.rest bs=4k 2>/dev/null
dd if=/dev/zero of=/srv/filler.last bs=1k 2>/dev/null; sync /srv/filler.rest; true"""


VOLATILE = """mkdir -p /run/systemd/journald.conf.d
printf '[Journal]\\nStorage=volatile\\n' >/run/systemd/journald.conf.d/trial.conf
systemctl restart systemd-journald; rm -rf /var/log/journal/*/*"""


@pytest.fixture(scope="module", autouse=True)
def _journal_elsewhere(shared_trial: Trial) -> Iterator[None]:
    """systemd's journal, which gives room back when a disk fills up, is kept off the disk meanwhile."""
    for host in HOSTS:
        shared_trial.on(host, VOLATILE)
    yield
    for host in HOSTS:
        shared_trial.on(host, "rm -r /run/systemd/journald.conf.d; systemctl restart systemd-journald")


@contextmanager
def full(trial: Trial, *hosts: str) -> Iterator[None]:
    """Nothing more can be written there."""
    try:
        for host in hosts:
            trial.on(host, FILL)
        yield
    finally:
        for host in hosts:
            trial.on(host, "rm -f /srv/filler*")


def test_a_disk_that_is_full_from_the_start_is_named_and_nothing_is_changed(trial: Trial) -> None:
    before = texts(trial)
    trial.want(plain={"text": "no-room"})
    with full(trial, *HOSTS):
        done = trial.apply()
    assert done.exit == 1
    for host in HOSTS:
        reason = done.item(host, "plain")["reason"]
        assert "No space left on device" in reason, reason
        assert "free: 0 of 3." in reason, reason
    assert texts(trial) == before
    assert [trial.leftovers(host) for host in HOSTS] == [[]] * 3
    assert trial.apply().exit == 0


@pytest.mark.parametrize("steps", [("staged", "switching", "switched.1"), ("switched.3", "switched.4", "switched")])
def test_a_disk_that_fills_up_in_the_middle_of_a_change_leaves_all_as_before_or_all_changed(
    trial: Trial, steps: tuple[str, str, str]
) -> None:
    assert trial.apply().exit == 0
    before = texts(trial)[0]
    after = f"filled-{steps[0]}"
    trial.want(plain={"text": after})
    for host, step in zip(HOSTS, steps, strict=True):
        trial.pause(step, hosts=[host])
    run = trial.start("apply")
    for host, step in zip(HOSTS, steps, strict=True):
        trial.paused(host, step)
    with full(trial, *HOSTS):
        trial.go_on()
        done = ended(run)
        for host in HOSTS:
            item = done.item(host, "plain")
            whole = after if item["status"] == "changed" else before
            look = "cat /etc/trial.conf; head -n 1 /srv/trial/read; readlink /srv/trial/link"
            assert trial.on(host, look) == f"{whole}\n{whole}\n{whole}", item
            if item["status"] == "failed":
                assert "free: " in item["reason"], f"{host}: {item}"
                assert "nor could it be taken back" not in item["reason"]
    assert done.exit == 1, "the one that had not begun to switch cannot say that it does"
    assert [trial.leftovers(host) for host in HOSTS] == [[]] * 3
    assert trial.apply().exit == 0


def test_what_was_there_before_our_first_change_is_kept_once(trial: Trial) -> None:
    original = "/var/lib/hostmuster/originals/etc/trial.conf"
    trial.on(BOOKWORM, f"rm -f {original} /var/lib/hostmuster/originals.list")
    trial.on(BOOKWORM, "echo by hand > /etc/trial.conf; chown daemon:adm /etc/trial.conf; chmod 0604 /etc/trial.conf")
    for word in ("first", "second"):
        trial.want(plain={"text": word})
        assert trial.apply().exit == 0
    assert trial.on(BOOKWORM, f"cat {original}; stat -c '%U:%G %a' {original}") == "by hand\ndaemon:adm 604"


def test_an_original_too_big_to_keep_is_refused_and_stays(trial: Trial) -> None:
    kept = "originals.list"
    trial.on(
        BOOKWORM, f"cd /var/lib/hostmuster; rm -f originals/srv/trial/read; touch {kept}; sed -i '/read$/d' {kept}"
    )
    trial.on(BOOKWORM, "head -c 70000000 /dev/zero > /srv/trial/read")
    done = trial.apply("--limit", BOOKWORM)
    assert done.exit == 1
    assert "does not fit beside those kept" in done.item(BOOKWORM, "plain")["reason"]
    assert trial.on(BOOKWORM, "stat -c %s /srv/trial/read") == "70000000"
    trial.on(BOOKWORM, "rm /srv/trial/read")
    assert trial.apply().exit == 0


def test_a_state_that_a_newer_hostmuster_wrote_is_refused_by_name(trial: Trial) -> None:
    state = "/var/lib/hostmuster/host.json"
    trial.want(plain={"text": "newer-state"})
    trial.on(THIRD, f'cp {state} {state}.was; sed -i \'s/"schema":1/"schema":99/\' {state}')
    try:
        for command in ("apply", "check"):
            refused = trial.fleet.run(command)
            assert refused.exit == 3, command
            assert f"{THIRD}: its state has schema 99, written by a newer hostmuster" in refused.document["error"]
        shown = trial.fleet.run("unlock", THIRD, "--revert")
        assert shown.exit == 1
        assert "newer hostmuster" in shown.document["hosts"][THIRD]["error"]
    finally:
        trial.on(THIRD, f"mv {state}.was {state}")
    assert "newer-state" not in texts(trial)
    assert trial.apply().exit == 0
    assert trial.on(TRIXIE, "cat /etc/trial.conf") == "newer-state"
