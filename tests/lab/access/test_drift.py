"""What somebody changes by hand is found, put right, and stays so."""

from __future__ import annotations

from tests.lab.access.conftest import AccessFleet, Key
from tests.lab.pair import HOSTS, OLD

FOLDER = "/etc/ssh/hostmuster"
DRIFT = {
    "sed -i /worker-1/d /etc/hosts": "file /etc/hosts: content",
    f"echo 'ssh-ed25519 AAAA stranger' >>{FOLDER}/keys/alice": "keys of alice: key is with SHA256:",
    f"cp {FOLDER}/ca.pub /root/k && sed -i s/ssh-ed25519/ssh-rsa/ {FOLDER}/ca.pub": f"file {FOLDER}/ca.pub: content",
    f"echo root >>{FOLDER}/principals": f"file {FOLDER}/principals: content",
    f"chmod 0640 {FOLDER}/identity/id_ed25519": f"ssh key {FOLDER}/identity/id_ed25519: mode",
    f"rm {FOLDER}/identity/id_ed25519.pub": f"ssh key {FOLDER}/identity/id_ed25519: public half",
    f"rm {FOLDER}/ssh_host_ed25519_key-cert.pub": f"certificate {FOLDER}/ssh_host_ed25519_key-cert.pub: presence",
    "echo PasswordAuthentication yes >/etc/ssh/sshd_config.d/00-hostmuster-keys-only.conf; systemctl reload ssh": (
        "file /etc/ssh/sshd_config.d/00-hostmuster-keys-only.conf: content"
    ),
    "rm /etc/ssh/sshd_config.d/01-hostmuster-access.conf": "01-hostmuster-access.conf: presence",
    f"rm {FOLDER}/known_hosts && ln -s /dev/null {FOLDER}/known_hosts": f"file {FOLDER}/known_hosts: presence",
    "gpasswd -d alice hostmuster-operators": "group hostmuster-operators: members is without alice",
    "usermod -s /usr/sbin/nologin alice": "user alice: shell",
    "echo 'ALL ALL=(ALL) NOPASSWD: ALL' >>/etc/sudoers.d/hostmuster-operators": "hostmuster-operators: content",
}


def test_drift_put_in_by_hand_is_found_and_mended(bare: AccessFleet, alice: Key) -> None:
    bare.apply()
    assert all(bare.login("alice", host, alice.path) for host in HOSTS)
    bare.apply()
    for command in DRIFT:
        bare.on(OLD, command)
    found = "\n".join(bare.run("check").item(OLD, "access")["differences"])
    assert [text for text in DRIFT.values() if text not in found] == []
    bare.apply()
    again = bare.run("apply")
    assert [again.statuses(host) for host in HOSTS] == [{"access": "ok"}] * 2
    assert bare.run("verify", "--deep").exit == 0
    assert bare.login("alice", OLD, alice.path, "sudo -n true")
    assert not bare.login("root", OLD, bare.lab.root_key)


def test_check_leaves_the_host_as_it_is(bare: AccessFleet, alice: Key) -> None:
    # No time of change: a folder's is set by reading it, on the lab's overlay.
    listing = "find /etc /home /var/lib/hostmuster /var/lib/hostmuster-login -printf '%p %i %m %U %s %T@\\n' | sort"
    before = [bare.on(host, listing) for host in HOSTS]
    assert bare.run("check").exit == 2
    assert [bare.on(host, listing) for host in HOSTS] == before


def test_a_drop_in_that_sshd_reads_before_ours_is_named_and_left_to_its_owner(bare: AccessFleet) -> None:
    path = "/etc/ssh/sshd_config.d/00-a-cloud.conf"
    bare.on(OLD, f"echo 'PasswordAuthentication yes' >{path}")
    done = bare.run("apply")
    assert done.exit == 1
    assert f"{path} sets passwordauthentication before" in done.item(OLD, "access")["reason"]
    said = bare.run("check").item(OLD, "access")["differences"]
    assert f"file {path}: setting is passwordauthentication yes" in [one.partition(", read before")[0] for one in said]
    bare.on(OLD, f"rm {path}; systemctl reload ssh")
    bare.apply()


def test_a_host_that_is_called_otherwise_gets_its_declared_name_which_needs_no_dns(bare: AccessFleet) -> None:
    bare.on(OLD, "hostname ip-10-0-0-5")
    bare.apply()
    assert bare.on(OLD, "hostname").strip() == OLD
    assert bare.effects(bare.run("verify"), OLD)["its own name without DNS"][0] is True
