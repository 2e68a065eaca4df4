"""A wrong change of sshd comes back by itself within its time, also over a power loss before it was confirmed."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest

from tests.lab.access.conftest import AccessFleet
from tests.lab.pair import HOSTS, NEW

LOCKED_OUT = {"AllowUsers": "somebody-else"}
WITHIN_S = 30
"""The change is armed for 10; the rest is for a machine that is busy with other things."""


def wait_until(fleet: AccessFleet, host: str, command: str) -> None:
    """Until a command succeeds on the host."""
    ends = time.monotonic() + WITHIN_S
    while not fleet.lab.run(host, command).ok:
        assert time.monotonic() < ends, f"{command} on {host} does not come true"
        time.sleep(0.2)


@pytest.mark.parametrize("option", [LOCKED_OUT, {"Port": "2222"}], ids=["users", "port"])
def test_an_option_that_locks_us_out_comes_back_by_itself(bare: AccessFleet, option: Mapping[str, str]) -> None:
    bare.apply()
    bare.access = {"sshd": dict(option)}
    done = bare.run("apply")
    assert done.exit == 1
    for host in HOSTS:
        assert "it is taken back within 10 s" in done.document["hosts"][host]["error"]
        wait_until(bare, host, "! [ -e /var/lib/hostmuster/change ] && ss -Hltn sport = :22 | grep -q .")
        wait_until(bare, host, "! systemctl cat hostmuster-revert.service")
    bare.access = {}
    done = bare.run("check")  # over connections of its own
    assert [done.statuses(host) for host in HOSTS] == [{"access": "ok"}] * 2


def test_a_lockout_comes_back_over_a_power_loss_before_the_confirmation(bare: AccessFleet) -> None:
    bare.apply()
    bare.access = {"sshd": LOCKED_OUT}
    bare.project.extra = {"confirm_s": 600}
    assert bare.run("apply").exit == 1
    for host in HOSTS:
        assert "allowusers somebody-else" in bare.on(host, "sshd -T")
        bare.lab.kill(host)
        bare.lab.start(host)
        assert "allowusers" not in bare.on(host, "sshd -T")
    bare.access = {}
    done = bare.run("check")
    assert [done.statuses(host) for host in HOSTS] == [{"access": "ok"}] * 2


def test_an_option_that_sshd_does_not_know_never_reaches_it(bare: AccessFleet) -> None:
    bare.apply()
    look = "cat /etc/ssh/sshd_config.d/*; systemctl show -p StateChangeTimestamp ssh"
    before = {host: bare.on(host, look) for host in HOSTS}
    bare.access = {"sshd": {"PermitRoot": "4"}}
    done = bare.run("apply")
    assert done.exit == 3
    assert "Bad configuration option: PermitRoot" in done.errors
    # What the sshd of this machine still knows, and that of Debian 13 no longer does.
    bare.access = {"sshd": {"HostKeyAlgorithms": "+ssh-dss"}}
    done = bare.run("apply", "--limit", NEW)
    assert done.exit == 1
    assert "Bad key types" in done.item(NEW, "access")["reason"]
    assert {host: bare.on(host, look) for host in HOSTS} == before


def test_an_option_of_the_fleets_own_is_in_force_after_its_confirmation(bare: AccessFleet) -> None:
    bare.access = {"sshd": {"MaxAuthTries": 3}}
    bare.apply()
    for host in HOSTS:
        assert "maxauthtries 3" in bare.on(host, "sshd -T")
        assert not bare.lab.run(host, "systemctl cat hostmuster-revert.service").ok


def test_a_host_with_socket_activation_is_narrowed_too(bare: AccessFleet) -> None:
    for host in HOSTS:
        bare.on(host, "systemctl disable -q --now ssh.service && systemctl enable -q --now ssh.socket")
    bare.apply()
    for host in HOSTS:
        assert not bare.login("root", host, bare.lab.root_key)
        assert bare.on(host, "systemctl is-active ssh.socket") == "active\n"
    assert bare.run("verify", "--deep").exit == 0
