"""Hosts trust each other through the fleet's CA (H9): as the service user, for as long as it says, and no further."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from hostmuster.ssh.certificate import sign
from hostmuster.ssh.trust import USER_CERTIFICATE
from tests.lab.access.conftest import AccessFleet, Key
from tests.lab.pair import HOSTS, NEW, OLD


def certify(fleet: AccessFleet, key: Key, *principals: str, days: float = 1) -> tuple[str, ...]:
    """ssh's options for a certificate by the fleet's own CA, as a thief of the CA's agent could get one."""
    now = int(time.time())
    ends = now + int(days * 86400)
    ca = fleet.store.value("ssh-ca")
    text = sign(ca, key.public, key_id="test", principals=principals, ends=ends, now=now, host=False)
    path = key.path.with_name(f"{key.path.name}-{'-'.join(principals)}-cert.pub")
    path.write_bytes(text)
    return ("-o", f"CertificateFile={path}")


def test_the_same_call_to_the_holder_gives_the_same_answer_on_every_host(bare: AccessFleet) -> None:
    bare.apply()
    done = bare.run("verify", "--deep")
    assert done.exit == 0, done.errors
    for host in HOSTS:
        assert bare.effects(done, host)["a neighbour answers"][0] is True
    machine_id = bare.on(NEW, "cat /etc/machine-id").strip()
    for asker in HOSTS:
        for name in (NEW, bare.lab.hosts[NEW].machine.address):
            assert bare.as_service(asker, f"ssh -o BatchMode=yes {name} cat /etc/machine-id") == (0, machine_id)


def test_the_private_key_never_left_its_host(bare: AccessFleet) -> None:
    bare.apply()
    keys = {bare.on(host, "cat /etc/ssh/hostmuster/identity/id_ed25519").splitlines()[2] for host in HOSTS}
    assert len(keys) == len(HOSTS)
    files = [path for path in bare.project.folder.rglob("*") if path.is_file() and "deploys" not in path.parts]
    assert not [path for path in files for key in keys if key.encode() in path.read_bytes()]
    assert bare.on(OLD, "stat -c '%a %U' /etc/ssh/hostmuster/identity/id_ed25519") == "600 service\n"


def test_the_ca_opens_no_account_but_the_service_users(bare: AccessFleet, alice: Key, tmp_path: Path) -> None:
    bare.apply()  # alice has not logged in: root login by key is still open
    thief = Key.make(tmp_path / "thief")
    for host in HOSTS:
        assert bare.login("root", host, bare.lab.root_key)
        assert bare.login("service", host, thief.path, options=certify(bare, thief, "service"))
        for user in ("root", "alice", "hostmuster"):
            for principals in ((user,), ("service",), (user, "service")):
                assert not bare.login(user, host, thief.path, options=certify(bare, thief, *principals))
        assert not bare.login("service", host, thief.path, options=certify(bare, thief, "root"))
        assert not bare.login("service", host, thief.path)


def test_a_holder_that_is_down_is_named(bare: AccessFleet) -> None:
    bare.apply()
    bare.lab.kill(NEW)
    done = bare.run("verify", "--deep", "--limit", OLD)
    assert done.exit == 1
    ok, seen = bare.effects(done, OLD)["a neighbour answers"]
    assert ok is False
    assert seen.startswith(f"{NEW} is down or cut off")
    bare.lab.start(NEW)


def test_an_impostor_at_the_neighbours_address_is_not_asked(bare: AccessFleet) -> None:
    bare.apply()
    # Another host key, and so no certificate of ours for it.
    bare.on(NEW, "rm /etc/ssh/ssh_host_* && ssh-keygen -A >/dev/null && systemctl restart ssh")
    status, said = bare.as_service(OLD, f"ssh -o BatchMode=yes {NEW} true")
    assert status == 255
    assert "Host key verification failed" in said


def test_a_new_host_changes_nothing_on_the_others_but_names(bare: AccessFleet) -> None:
    bare.names = (OLD,)
    bare.apply()
    bare.names = HOSTS
    done = bare.run("check")
    changed = [text.split(":")[0] for text in done.item(OLD, "access")["differences"]]
    assert changed == [
        "file /etc/hosts",
        "file /etc/ssh/hostmuster/known_hosts",
        "file /etc/ssh/ssh_config.d/00-hostmuster.conf",
    ]
    bare.apply()
    assert bare.as_service(OLD, f"ssh -o BatchMode=yes {NEW} id -un") == (0, "service")


@pytest.mark.parametrize("flaw", ["near its end", "of another CA", "for another name", "no certificate"])
def test_a_certificate_that_will_not_do_is_signed_anew(bare: AccessFleet, tmp_path: Path, flaw: str) -> None:
    bare.apply()
    now = int(time.time())
    public = bare.on(OLD, "cat /etc/ssh/hostmuster/identity/id_ed25519.pub")
    key = Key.make(tmp_path / "other-ca")
    ca = bare.store.value("ssh-ca")
    if flaw == "of another CA":
        ca = type(ca)(key.path.read_bytes())
    principals = ("root",) if flaw == "for another name" else ("service",)
    ends = now + (89 if flaw == "near its end" else 300) * 86400
    member = f"{bare.project.name}:service@{OLD}"
    text = sign(ca, public, key_id=member, principals=principals, ends=ends, now=now, host=False)
    text = b"junk\n" if flaw == "no certificate" else text
    assert bare.lab.run(OLD, f"cat >{USER_CERTIFICATE}", stdin=text).ok
    differences = bare.run("check").item(OLD, "access")["differences"]
    assert len(differences) == 1
    assert differences[0].startswith(f"certificate {USER_CERTIFICATE}: ")
    bare.apply()
    assert bare.run("check").exit == 0
    assert bare.as_service(OLD, f"ssh -o BatchMode=yes {NEW} id -un") == (0, "service")


def test_after_a_leak_a_new_ca_takes_over_and_the_old_one_opens_nothing(bare: AccessFleet, tmp_path: Path) -> None:
    bare.apply()
    thief = Key.make(tmp_path / "thief")
    stolen = certify(bare, thief, "service")
    assert bare.login("service", NEW, thief.path, options=stolen)
    new_ca = Key.make(tmp_path / "new-ca").path.read_text()
    assert bare.project.hostmuster("secrets.set", "ssh-ca", stdin=new_ca).exit == 0
    bare.apply()
    assert not bare.login("service", NEW, thief.path, options=stolen)
    for asker, name in ((OLD, NEW), (NEW, OLD)):
        assert bare.as_service(asker, f"ssh -o BatchMode=yes {name} id -un") == (0, "service")
