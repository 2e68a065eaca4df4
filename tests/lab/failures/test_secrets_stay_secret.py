"""No value that is secret stands in argv, an environment, /tmp, the system's journal, our output, or reports/."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from tests.lab.failures.trial import BOOKWORM, HOSTS, THIRD, TRIXIE, Trial, texts
from tests.lab.failures.typing_operator import holds, typed
from tests.lab.failures.watcher import Watcher

RULE = "hostmuster ALL=(root) ALL"
"""Debian's own defaults for the rest: use_pty on Debian 13, three tries."""


@pytest.fixture
def with_password(trial: Trial) -> Iterator[tuple[Trial, str]]:
    """Hosts on which the automation user's sudo asks for a password."""
    password = f"Pa{secrets.token_hex(8)}ss"
    for host in HOSTS:
        trial.on(host, "cp -p /etc/sudoers.d/hostmuster /root/sudo-rule; cp -p /etc/shadow /root/shadow-was")
        trial.lab.run(host, "chpasswd", stdin=f"hostmuster:{password}\n")
        trial.on(host, f"echo '{RULE}' > /etc/sudoers.d/hostmuster")
    trial.fleet.extra = {**trial.fleet.extra, "sudo": "password"}
    yield trial, password
    for host in HOSTS:
        trial.on(host, "cp -p /root/sudo-rule /etc/sudoers.d/hostmuster; cp -p /root/shadow-was /etc/shadow")


def private_lines(trial: Trial) -> list[str]:
    """A line of the private part of each key in the store."""
    lines = []
    for name in ("automation-key", "ssh-ca"):
        shown = trial.fleet.hostmuster("secrets.show", name, "--reveal")
        assert "PRIVATE KEY" in shown.output
        lines.append(shown.output.splitlines()[3])
    return lines


def test_a_password_typed_once_and_keys_and_contents_are_seen_nowhere(with_password: tuple[Trial, str]) -> None:
    trial, password = with_password
    body = f"content{secrets.token_hex(8)}"
    values = [password, body, *private_lines(trial)]
    trial.want(plain={"text": "sudo", "secret": body}, armed={"number": 81})
    watcher = Watcher(values)
    watcher.start()
    code, shown = typed(trial.fleet, "apply", "--ask-sudo", answer=password)
    told = watcher.stop()
    assert code == 0, shown
    assert told == set()
    assert texts(trial) == ["sudo"] * 3
    for value in values:
        assert value not in shown
        assert holds(trial.fleet.folder / "reports", value) == []
        for host in HOSTS:
            places = "/tmp /var/tmp /dev/shm /run /var/log /root /var/lib/hostmuster"
            found = trial.lab.run(host, f"grep -rlF -e '{value}' {places}; journalctl -q | grep -F -e '{value}'")
            assert found.stdout == "", f"{host}: {found.stdout}"
        if value == body:
            assert trial.on(TRIXIE, "cat /srv/trial/secret; stat -c %a /srv/trial/secret") == f"{body}600"


def test_a_wrong_password_is_named_and_the_program_is_neither_run_nor_logged(with_password: tuple[Trial, str]) -> None:
    trial, _ = with_password
    wrong = f"wrong{secrets.token_hex(8)}"
    trial.want(plain={"text": "wrong-password"})
    code, shown = typed(trial.fleet, "apply", "--ask-sudo", answer=wrong)
    assert code == 1
    for host in HOSTS:
        assert host in shown
        log = trial.on(host, "journalctl -q --since -2min")
        assert wrong not in log
        assert "lease root@" not in log
        assert "begin" not in log.split()
    assert "sudo does not let us" in shown
    assert "incorrect password attempt" in shown
    assert "wrong-password" not in texts(trial)
    assert wrong not in shown


def test_a_sudo_that_wants_a_password_nobody_gave_is_named_at_once(with_password: tuple[Trial, str]) -> None:
    trial, _ = with_password
    trial.want(plain={"text": "no-password"})
    done = trial.apply()
    assert done.exit == 1
    for host in HOSTS:
        error = done.document["hosts"][host]["error"]
        assert "a password is required" in error
        assert "--ask-sudo" in error
    assert "no-password" not in texts(trial)
    assert {BOOKWORM, TRIXIE, THIRD} == set(done.document["hosts"])
