"""What plain pyinfra does not run into, or over."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.lab.fleet_on_lab import FleetOnLab, machines_of
from tests.lab.plain_pyinfra.project import BODY, ITEMS, LEASE, SERVER, WORKER, PlainPyinfra


def test_a_host_under_anothers_lease_fails_alone_and_names_the_holder(plain: PlainPyinfra) -> None:
    plain.on(SERVER, f"echo jo@desk feed $(($(cut -d. -f1 /proc/uptime) + 300)) >{LEASE}")
    held, before = plain.on(SERVER, f"cat {LEASE}"), plain.on(SERVER, "cat /etc/motd")
    ran = plain.run("-y")
    assert ran.exit == 1
    assert any("jo@desk is at work on it (run feed" in line for line in ran.of_host(SERVER))
    assert ran.results()[ITEMS[0]] == ("2", "1", "1", "-")
    assert plain.on(SERVER, "cat /etc/motd") == before
    assert plain.on(SERVER, f"cat {LEASE}") == held
    assert plain.on(WORKER, "cat /etc/motd") == f"{BODY}\n"


def test_a_host_that_moved_on_while_pyinfra_waited_for_enter_is_not_changed(plain: PlainPyinfra) -> None:
    waiting = subprocess.Popen(
        plain.command(),
        cwd=plain.fleet.folder,
        env=plain.fleet.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert waiting.stdout is not None
    seen = ""
    while "Press enter" not in seen:
        letter = waiting.stdout.read(1)
        assert letter, seen
        seen += letter
    plain.alter(SERVER, revision=plain.state(SERVER)["revision"] + 1)
    output, _ = waiting.communicate("\n" * 9, timeout=60)
    assert waiting.returncode == 1
    assert "it moved on since it was looked at" in output
    assert plain.on(SERVER, "cat /etc/motd") == "hello\n"
    assert plain.on(WORKER, "cat /etc/motd") == f"{BODY}\n"


def test_a_host_that_cannot_be_observed_is_a_failed_host(plain: PlainPyinfra) -> None:
    plain.on(SERVER, "chmod 0644 /usr/bin/sudo")
    try:
        dry, ran = plain.run("--dry"), plain.run("-y")
    finally:
        plain.on(SERVER, "chmod 4755 /usr/bin/sudo")
    assert (dry.exit, ran.exit) == (1, 1)
    assert any("the answer was cut before its end" in line for line in ran.of_host(SERVER))
    assert not {"Success", "No changes"} & set(ran.of_host(SERVER))
    assert plain.on(WORKER, "cat /etc/motd") == f"{BODY}\n"


def test_a_frozen_host_is_shown_but_not_changed(plain: PlainPyinfra) -> None:
    assert plain.fleet.hostmuster("freeze", SERVER).exit == 0
    try:
        dry, ran = plain.run("--dry"), plain.run("-y")
    finally:
        assert plain.fleet.hostmuster("thaw", SERVER).exit == 0
    assert dry.exit == 0
    assert any(line.startswith("will be refused: it is frozen for maintenance") for line in dry.of_host(SERVER))
    assert ran.exit == 1
    assert plain.on(SERVER, "cat /etc/motd") == "hello\n"


def test_a_change_that_locks_us_out_fails_its_hosts_and_comes_back_by_itself(plain: PlainPyinfra) -> None:
    assert plain.run("-y").exit == 0
    plain.declare(lockout={"made": True})
    ran = plain.run("-y")
    assert ran.exit == 1
    assert any("no new connection after the change of lockout" in line for line in ran.of_host(SERVER)), ran.output
    gone = "for n in $(seq 200); do [ -e /etc/nologin ] || { echo gone; exit; }; sleep 0.1; done; echo there"
    assert [plain.on(name, gone) for name in (SERVER, WORKER)] == ["gone\n", "gone\n"]
    plain.declare()
    plain.on(SERVER, "echo hello >/etc/motd")
    again = plain.run("-y")
    # Whether the lease could be given back depends on how soon the host took the change back.
    assert again.exit == 0, again.output


def test_a_fleet_that_does_not_compile_is_refused_once_with_every_mistake(plain: PlainPyinfra) -> None:
    plain.declare(lockout={"mad": True}, banner={"text": "hi"})
    before = plain.files(SERVER)
    ran = plain.run("-y")
    assert ran.exit == 3, ran.output
    assert ran.output.count("`mad`") == 1, ran.output
    assert "banner" in ran.output
    assert "Traceback" not in ran.output
    assert plain.files(SERVER) == before


def test_while_the_lab_is_down_nothing_looks_for_its_addresses(plain: PlainPyinfra, tmp_path: Path) -> None:
    down = FleetOnLab(tmp_path, f"test-{os.getpid()}-down")
    down.declare(machines_of(plain.lab))
    ran = PlainPyinfra(down, plain.lab).run("-y")
    assert ran.exit == 3
    assert "the lab is down" in ran.output
    assert "hostmuster lab.up --fleet" in ran.output
    assert "Connecting" not in ran.output
