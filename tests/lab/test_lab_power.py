"""Power: what a host that loses it loses, and what comes back."""

from __future__ import annotations

import os
import signal
import socket
import time

import pytest

from hostmuster.errors import HostFailed, Refused
from hostmuster.lab.lab import Lab

ONE, TWO = "server-1", "worker-1"


def test_power_loss_loses_what_was_not_synced_and_keeps_what_was(lab: Lab) -> None:
    assert lab.run(ONE, "echo kept > /root/synced && sync /root/synced && sync /root").ok
    assert lab.run(ONE, "echo gone > /root/unsynced").ok
    lab.kill(ONE)
    lab.start(ONE)
    assert lab.run(ONE, "cat /root/synced").stdout == "kept\n"
    assert not lab.run(ONE, "test -e /root/unsynced && test -s /root/unsynced").ok


def test_power_loss_reverts_a_rename_that_was_not_synced(lab: Lab) -> None:
    assert lab.run(ONE, "cd /root && echo old > conf && sync conf && sync .").ok
    assert lab.run(ONE, "cd /root && echo new > conf.tmp && sync conf.tmp && mv conf.tmp conf && cat conf").ok
    lab.kill(ONE)
    lab.start(ONE)
    assert lab.run(ONE, "cat /root/conf").stdout == "old\n"


def test_power_loss_in_the_middle_of_a_boot_leaves_a_host_that_boots(lab: Lab) -> None:
    for moment in (0.0, 0.05, 0.2, 0.5):
        lab.kill(ONE)
        lab.start(ONE, wait=False)
        time.sleep(moment)
    lab.kill(ONE)
    lab.start(ONE)
    assert lab.run(ONE, "systemctl is-active ssh").ok


def test_a_host_whose_supervisor_died_still_loses_its_power_like_any_other(lab: Lab) -> None:
    group = lab.hosts[ONE].control_group.folder
    for process in (group / "cgroup.procs").read_text().split():
        os.kill(int(process), signal.SIGKILL)
    lab.run(ONE, "echo kept > /root/synced2 && sync /root/synced2 /root; echo gone > /root/unsynced2")
    lab.kill(ONE)
    lab.start(ONE)
    assert lab.run(ONE, "cat /root/synced2; cat /root/unsynced2 2>/dev/null; true").stdout == "kept\n"


def test_a_killed_host_is_off_alone_and_comes_back_as_itself(lab: Lab) -> None:
    identity = "cat /etc/machine-id /etc/ssh/ssh_host_ed25519_key.pub"
    before = lab.run(ONE, identity).stdout
    lab.kill(ONE)
    assert {name: host.state for name, host in lab.hosts.items() if name != "worker-2"} == {
        ONE: "off",
        TWO: "running",
    }
    assert not lab.run(TWO, f"ping -c1 -W1 {lab.hosts[ONE].machine.address}").ok
    with pytest.raises(HostFailed, match="is off"):
        lab.run(ONE, "true")
    lab.start(ONE)
    assert lab.run(ONE, identity).stdout == before
    assert lab.run(TWO, f"ping -c5 -i0.5 -W2 {lab.hosts[ONE].machine.address}").ok


def test_a_killed_host_says_nothing_to_its_clients(lab: Lab) -> None:
    with socket.create_connection((lab.hosts[ONE].machine.address, 22), timeout=5) as client:
        assert client.recv(4) == b"SSH-"
        client.settimeout(0.5)
        lab.kill(ONE)
        client.recv(100)  # the rest of its greeting; no end of the connection comes after it
        with pytest.raises(TimeoutError):
            client.recv(1)


def test_killing_a_host_that_is_off_and_starting_one_that_runs_changes_nothing(lab: Lab) -> None:
    lab.kill(ONE)
    lab.kill(ONE)
    lab.start(ONE)
    leader = lab.hosts[ONE].leader()
    lab.start(ONE)
    assert lab.hosts[ONE].leader() == leader


def test_a_guest_that_reboots_itself_comes_back(lab: Lab) -> None:
    before = lab.hosts[ONE].leader()
    lab.run(ONE, "systemctl reboot")
    deadline = time.monotonic() + 30
    while lab.hosts[ONE].leader() in (None, before):
        assert time.monotonic() < deadline, "it never rebooted"
        time.sleep(0.1)
    lab.hosts[ONE].await_boot()
    assert lab.run(ONE, "uptime").ok


def test_a_guest_that_powers_itself_off_stays_off_until_started(lab: Lab) -> None:
    lab.run(ONE, "systemctl poweroff")
    deadline = time.monotonic() + 30
    while lab.hosts[ONE].state != "off":
        assert time.monotonic() < deadline, "it never went off"
        time.sleep(0.1)
    lab.start(ONE)
    assert lab.hosts[ONE].state == "running"


def test_a_host_the_lab_does_not_have_is_refused_by_name(lab: Lab) -> None:
    with pytest.raises(Refused, match=r"no host named nosuch[^$]*server-1"):
        lab.kill("nosuch")
