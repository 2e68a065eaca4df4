"""The whole checklist holds on both Debians, each line by itself, through reboots and upgrades without an apply."""

from __future__ import annotations

import pytest

from tests.drills.checklist.by_hand import BREAKS, UNDO
from tests.drills.checklist.whole import HOSTS, NEW, NOT_HERE, OLD, Whole, failed, not_run
from tests.waiting import await_that


@pytest.mark.parametrize("host", HOSTS)
def test_a_bare_host_onboards_in_one_go_to_every_line(onboarded: Whole, host: str) -> None:
    done = onboarded.onboarded[host]
    assert done.exit == 0, done.errors
    lines = {line["item"]: line for line in done.document["checklist"]}
    # The first host of a fleet has no neighbour yet to ask.
    waits = {name for name, line in lines.items() if "is no member yet" in line["seen"]}
    assert {name for name, line in lines.items() if line["status"] == "not_run"} == (NOT_HERE & lines.keys()) | waits
    assert not waits or host == OLD
    assert {line["status"] for line in lines.values()} <= {"ok", "not_run"}


def assert_all_lines_hold(whole: Whole) -> None:
    done = whole.verify()
    assert done.exit == 0, done.errors
    for host in HOSTS:
        assert failed(done, host) == {}
        assert not_run(done, host) <= NOT_HERE


def test_every_line_holds_between_the_hosts_too(whole: Whole) -> None:
    assert_all_lines_hold(whole)


@pytest.mark.parametrize("what", BREAKS)
def test_what_hands_break_is_named_by_its_line_alone(whole: Whole, what: str) -> None:
    broken = BREAKS[what]
    for host in HOSTS:
        whole.shell(host, broken.command)
    done = whole.fleet.run("verify")
    for host in HOSTS:
        if what in UNDO:
            whole.shell(host, UNDO[what])
    assert done.exit == 1
    for host in HOSTS:
        found = failed(done, host)
        assert list(found) == [broken.line]
        assert broken.says in found[broken.line]


@pytest.mark.parametrize("host", HOSTS)
def test_a_reboot_leaves_all_lines_as_they_were(whole: Whole, host: str) -> None:
    whole.lab.kill(host)
    whole.lab.start(host)
    # The boot may last longer than a proof waits; whatever comes up last is proved below.
    up = "timeout 5 docker exec web true"
    await_that(lambda: whole.lab.run(host, up).ok, 180, f"the container of {host} runs")
    assert_all_lines_hold(whole)


def test_a_restart_of_the_container_engine_leaves_all_lines_as_they_were(whole: Whole) -> None:
    running = [whole.shell(host, "docker ps -q --no-trunc") for host in HOSTS]
    for host in HOSTS:
        whole.shell(host, "systemctl restart docker")
    assert_all_lines_hold(whole)
    assert [whole.shell(host, "docker ps -q --no-trunc") for host in HOSTS] == running


def test_an_upgrade_of_the_container_engine_leaves_all_lines_as_they_were(whole: Whole) -> None:
    for host in HOSTS:
        again = "docker.io containerd runc"
        whole.shell(host, f"DEBIAN_FRONTEND=noninteractive apt-get install -y -q --reinstall {again}")
    assert_all_lines_hold(whole)


def test_an_unattended_security_upgrade_leaves_all_lines_as_they_were(whole: Whole) -> None:
    for host in HOSTS:
        whole.shell(host, "DEBIAN_FRONTEND=noninteractive apt-get install -y -q unattended-upgrades")
        # apt's own work on a library that every daemon has loaded; with needrestart as many hosts have it.
        done = whole.shell(host, "unattended-upgrade --verbose")
        assert "All upgrades installed" in done or "No packages found" in done, done
    assert_all_lines_hold(whole)


def test_services_that_an_upgrade_restarts_leave_all_lines_as_they_were(whole: Whole) -> None:
    for host in (OLD, NEW):
        again = "openssh-server chrony tinyproxy iptables systemd"
        whole.shell(host, f"DEBIAN_FRONTEND=noninteractive apt-get install -y -q --reinstall {again}")
    assert_all_lines_hold(whole)
