"""Plain pyinfra runs the same items: the real command, on real hosts."""

from __future__ import annotations

import time
from pathlib import Path

from tests.lab.plain_pyinfra.project import BODY, ITEMS, LEASE, OWED, SERVER, WORKER, PlainPyinfra


def test_a_run_brings_every_item_and_a_second_run_changes_nothing_and_says_so(plain: PlainPyinfra) -> None:
    first = plain.run("-y")
    assert first.exit == 0, first.output
    banner, sleeper, trust, watched, lockout = ITEMS
    assert first.results() == {
        banner: ("2", "2", "-", "-"),
        sleeper: ("2", "1", "-", "1"),
        trust: ("2", "2", "-", "-"),
        watched: ("2", "-", "-", "2"),
        lockout: ("2", "-", "-", "2"),
        OWED: ("2", "-", "-", "2"),  # the first start of its unit has seen the change
        "Grand total": ("12", "5", "-", "7"),
    }
    assert plain.on(WORKER, "cat /etc/motd; systemctl is-active sleeper") == f"{BODY}\nactive\n"
    again = plain.run("-y")
    assert again.exit == 0
    assert again.results()["Grand total"] == ("12", "-", "-", "12")
    assert again.of_host(SERVER)[-6:] == ["No changes"] * 6


def test_an_item_that_is_only_observed_is_shown_and_left_alone(plain: PlainPyinfra) -> None:
    ran = plain.run("-y")
    shown = "watched (only observed): file /etc/watched: presence is missing, declared a file"
    assert shown in ran.of_host(SERVER)
    assert plain.on(SERVER, "ls /etc/watched 2>/dev/null || echo none") == "none\n"


def test_a_dry_run_shows_the_differences_and_changes_no_file(plain: PlainPyinfra) -> None:
    plain.on(WORKER, "chmod 0600 /etc/motd")
    before = {name: plain.files(name) for name in (SERVER, WORKER)}
    ran = plain.run("--dry")
    assert ran.exit == 0, ran.output
    assert {
        "banner: file /etc/motd: mode is 0600, declared 0644",
        "sleeper: unit sleeper.service: state is inactive, declared active",
        "sleeper will restart sleeper.service",
    } <= set(ran.of_host(WORKER))
    assert {name: plain.files(name) ^ before[name] for name in before} == {SERVER: set(), WORKER: set()}


def test_with_nothing_to_change_each_host_is_asked_once(plain: PlainPyinfra) -> None:
    plain.run("-y")
    count = "journalctl -q --sync; journalctl -q -t sudo --no-pager | grep -c COMMAND="
    before = {name: int(plain.on(name, count)) for name in (SERVER, WORKER)}
    plain.run("-y")
    assert {name: int(plain.on(name, count)) - before[name] for name in before} == {SERVER: 1, WORKER: 1}


def test_the_lease_is_given_back_after_each_operation(plain: PlainPyinfra) -> None:
    assert plain.run("-y").exit == 0
    assert [plain.on(name, f"ls {LEASE} 2>/dev/null || echo none") for name in (SERVER, WORKER)] == ["none\n"] * 2


def test_an_armed_change_is_confirmed_over_a_new_connection(plain: PlainPyinfra) -> None:
    ran = plain.run("-y")
    assert ran.of_host(SERVER).count("Connected") == 2
    time.sleep(6)  # longer than the fleet's confirm_s: nothing reverts any more
    assert plain.on(SERVER, "cat /etc/trust; ls /var/lib/hostmuster/change 2>/dev/null || echo closed") == (
        f"{BODY}\nclosed\n"
    )


def test_a_restart_owed_is_paid_after_the_items_and_its_debt_goes(plain: PlainPyinfra) -> None:
    assert plain.run("-y").exit == 0
    pid = plain.on(WORKER, "systemctl show -P MainPID sleeper; echo x >>/etc/sleeper.env")
    ran = plain.run("-y")
    assert "sleeper will restart sleeper.service" in ran.of_host(WORKER)
    assert ran.results()[OWED] == ("2", "1", "-", "1")
    assert plain.on(WORKER, "systemctl show -P MainPID sleeper") != pid
    assert plain.on(WORKER, "ls -A /var/lib/hostmuster/owed") == ""


def test_the_repositorys_own_checklist_runs_and_then_changes_nothing(plain: PlainPyinfra, tmp_path: Path) -> None:
    real = PlainPyinfra(plain.fleet.clone(tmp_path / "clone"), plain.lab)
    real.declare_as_the_repository_does()
    ran = real.run("-y")
    assert ran.exit == 0, ran.output
    again = real.run("-y")
    assert again.exit == 0
    hosts, changed, failed, unchanged = again.results()["Grand total"]
    assert (changed, failed, unchanged) == ("-", "-", hosts)
