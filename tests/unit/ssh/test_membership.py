"""A host that left its fleet: the pin file says so, and what the host was certified as is revoked by name."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hostmuster.secrets.sshkeys import generate
from hostmuster.ssh.certificate import sign
from hostmuster.ssh.host_key import HostKey
from hostmuster.ssh.known_hosts import KnownHosts
from hostmuster.ssh.membership import Membership, revocation_list

KEY, OTHER, STOLEN = (HostKey(*generate(name)[1].split()[:2]) for name in ("a", "b", "x"))
OURS = f"# ours\n@cert-authority *.example.org {OTHER.kind} {OTHER.body}\n"
A, B = f"192.0.2.1 {KEY.kind} {KEY.body}\n", f"192.0.2.2 {OTHER.kind} {OTHER.body}\n"
PINS = KnownHosts.parse(OURS + A + B)
LEFT = PINS.with_departure("192.0.2.1", Membership("web-1"))


def test_a_host_that_leaves_is_revoked_in_place_of_pinned_and_nothing_else_changes() -> None:
    assert LEFT.text == OURS + B + f"@revoked {A.strip()} offboarded web-1 1\n"
    assert LEFT.gone == {"web-1"}
    assert LEFT.over == (Membership("web-1", 1),)
    assert LEFT.keys("192.0.2.1") == ()
    assert LEFT.departed("web-1") == (KEY,)
    assert LEFT.is_revoked(KEY)


def test_one_that_comes_back_is_revoked_no_more_but_its_membership_stays_over() -> None:
    back = LEFT.with_return("web-1").with_pin("192.0.2.1", KEY)
    assert back.text == OURS + B + "# offboarded web-1 1\n" + A
    assert back.gone == frozenset()
    assert back.over == (Membership("web-1", 1),)
    assert not back.revoked
    twice = back.with_departure("192.0.2.1", Membership("web-1", 2))
    assert twice.over == (Membership("web-1", 1), Membership("web-1", 2))
    assert twice.departures.text == f"# offboarded web-1 1\n@revoked {A.strip()} offboarded web-1 2\n"


def test_a_key_that_an_operator_revoked_is_no_hosts_departure() -> None:
    pins = KnownHosts.parse(f"@revoked * {STOLEN.kind} {STOLEN.body} stolen\n# offboarded in spring, web-9\n{A}")
    assert pins.gone == frozenset()
    assert pins.over == ()
    assert pins.revoked == (STOLEN,)


def test_openssh_refuses_exactly_the_memberships_that_are_over(tmp_path: Path) -> None:
    ended = Membership("web-1")
    list_file = tmp_path / "revoked.krl"
    list_file.write_bytes(revocation_list(ended.key_id("shop", user) for user in ("", "service")))
    ca, _ = generate("ca")
    _, public = generate("host")

    def refused(key_id: str) -> bool:
        file = tmp_path / "key-cert.pub"
        file.write_bytes(sign(ca, public, key_id=key_id, principals=("service",), ends=2**40, now=10**9, host=False))
        return subprocess.run(["ssh-keygen", "-Qf", list_file, file], capture_output=True, check=False).returncode == 1

    assert refused(ended.key_id("shop"))
    assert refused(ended.key_id("shop", "service"))
    assert not refused(ended.next.key_id("shop", "service"))
    assert not refused(Membership("web-10").key_id("shop"))
