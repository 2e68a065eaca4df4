"""Operators get in by their declared keys; old access goes after the proof that the new one works (O7)."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.lab.access.conftest import AccessFleet, Key
from tests.lab.pair import HOSTS, NEW, OLD


def narrowed(fleet: AccessFleet, host: str) -> bool:
    """Whether sshd itself says that root stays out."""
    return "permitrootlogin no" in fleet.on(host, "sshd -T -C user=root,host=x,addr=127.0.0.1")


def test_root_login_stays_until_each_declared_key_has_logged_in_then_goes(bare: AccessFleet, alice: Key) -> None:
    done = bare.run("apply")
    assert done.exit == 0, done.errors
    again = bare.run("apply")
    for host in HOSTS:
        part = again.item(host, "access")
        assert (part["status"], part["differences"]) == ("not_run", [])
        assert f"alice's key {alice.fingerprint}" in part["reason"]
        assert bare.login("root", host, bare.lab.root_key)
    assert bare.login("alice", OLD, alice.path)
    done = bare.run("apply")
    assert done.statuses(OLD) == {"access": "changed"}
    assert done.statuses(NEW) == {"access": "not_run"}
    assert not bare.login("root", OLD, bare.lab.root_key)
    assert bare.login("root", NEW, bare.lab.root_key)
    assert bare.login("alice", NEW, alice.path, "sudo -n true")
    bare.apply()
    assert not bare.login("root", NEW, bare.lab.root_key)
    last = bare.run("apply")
    assert [last.statuses(host) for host in HOSTS] == [{"access": "ok"}] * 2


def test_what_was_proved_stays_proved_when_the_journal_is_gone(bare: AccessFleet, alice: Key) -> None:
    bare.apply()
    for host in HOSTS:
        assert bare.login("alice", host, alice.path)
    bare.apply()
    for host in HOSTS:
        bare.on(
            host, "journalctl --rotate && journalctl --vacuum-time=1s && rm -rf /run/log/journal/* /var/log/journal/*"
        )
        bare.on(host, "systemctl restart systemd-journald")
    done = bare.run("apply")
    assert [done.statuses(host) for host in HOSTS] == [{"access": "ok"}] * 2
    assert all(narrowed(bare, host) for host in HOSTS)


def test_a_login_that_a_user_wrote_into_the_journal_proves_nothing(bare: AccessFleet, alice: Key) -> None:
    bare.apply()
    line = f"Accepted publickey for alice from 10.0.0.1 port 22 ssh2: ED25519 {alice.fingerprint}"
    for host in HOSTS:
        bare.on(host, f"runuser -u service -- logger -t sshd '{line}' && logger -t sshd '{line}' && sleep 0.2")
    done = bare.run("apply")
    assert [done.statuses(host) for host in HOSTS] == [{"access": "not_run"}] * 2


def test_an_operator_no_longer_declared_is_out_at_once(bare: AccessFleet, alice: Key, tmp_path: Path) -> None:
    bob = Key.make(tmp_path / "bob")
    bare.set_key("operator/bob", bob)
    with_bob = {"operators": {**bare.access["operators"], "bob": {"keys": ["operator/bob"]}}}
    without_bob, bare.access = bare.access, with_bob
    bare.apply()
    assert bare.login("bob", OLD, bob.path, "echo work >notes")
    command = bare.ssh("bob", OLD, bob.path, "sleep 300")
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as session:
        bare.on(OLD, "until pgrep -u bob sleep; do sleep 0.1; done")
        bare.access = without_bob
        done = bare.run("apply")
        assert "group hostmuster-operators: members is with bob" in str(done.item(OLD, "access")["differences"])
        assert session.wait(timeout=10) != 0
    assert not bare.login("bob", OLD, bob.path)
    # Neither by a key of his own making, nor by sudo, should somebody start something as him.
    bare.on(OLD, f"mkdir -p ~bob/.ssh && echo '{bob.public}' >~bob/.ssh/authorized_keys && chown -R bob ~bob/.ssh")
    assert not bare.login("bob", OLD, bob.path)
    assert not bare.lab.run(OLD, "runuser -u bob -- sudo -n true").ok
    assert bare.on(OLD, "cat ~bob/notes") == "work\n"
    assert bare.run("apply").item(OLD, "access")["differences"] == []
    bare.access = with_bob
    bare.apply()
    assert bare.login("bob", OLD, bob.path, "sudo -n true")


def test_an_old_key_opens_until_the_new_one_has_logged_in_or_the_old_is_revoked(
    bare: AccessFleet, alice: Key, tmp_path: Path
) -> None:
    bare.apply()
    assert all(bare.login("alice", host, alice.path) for host in HOSTS)
    bare.apply()
    new = Key.make(tmp_path / "new")
    bare.set_key("operator/alice", new)
    bare.apply()
    assert bare.login("alice", OLD, alice.path)
    assert bare.login("alice", OLD, new.path)
    bare.apply()
    assert not bare.login("alice", OLD, alice.path)
    assert bare.login("alice", NEW, alice.path)  # where the new one has not logged in
    assert all(narrowed(bare, host) for host in HOSTS)
    bare.access["revoked"] = [alice.fingerprint]
    bare.apply()
    assert not bare.login("alice", NEW, alice.path)
    assert bare.login("alice", NEW, new.path)


def test_root_is_closed_at_once_when_the_fleet_file_says_so(bare: AccessFleet, alice: Key) -> None:
    bare.access["narrow"] = "at_once"
    bare.apply()
    again = bare.run("apply")
    for host in HOSTS:
        assert not bare.login("root", host, bare.lab.root_key)
        assert "narrowed; not logged in yet: alice's key" in again.item(host, "access")["reason"]
    assert bare.login("alice", OLD, alice.path)


def test_an_operator_without_sudo_has_none_and_brings_no_key_of_their_own(bare: AccessFleet, alice: Key) -> None:
    bare.access["operators"]["alice"]["sudo"] = "never"
    bare.apply()
    assert all(bare.login("alice", host, alice.path) for host in HOSTS)
    bare.apply()
    own = Key.make(alice.path.with_name("own"))
    bring = f"umask 077; mkdir -p .ssh && echo {own.public!r} >.ssh/authorized_keys"
    assert bare.login("alice", OLD, alice.path, bring)
    assert not bare.login("alice", OLD, own.path)
    assert not bare.login("alice", OLD, alice.path, "sudo -n true")
