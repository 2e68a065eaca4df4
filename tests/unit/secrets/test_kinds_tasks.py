"""The secrets.* commands with keys of services, and with people who come and go."""

from __future__ import annotations

import json

import pytest

from hostmuster.secrets import ring_text, rsa_key, sshkeys
from hostmuster.secrets.ring import RingKey
from hostmuster.secrets.store import Store

from .conftest import Operator

PASSWORD = "correct horse battery staple"


@pytest.mark.parametrize("kind", ["rsa-signing-ring", "fernet", "shared-credential", "opaque"])
def test_a_value_is_generated_and_never_shown(founded: Operator, kind: str) -> None:
    done = founded.run("secrets.set", "made-here", "--kind", kind, "--generate")
    assert done.returncode == 0, done.stderr
    store = Store.read(founded.path)
    assert done.stdout.decode() == f"made-here: added, {store.fingerprint('made-here')}\n"
    assert store.entries["made-here"].kind.name == kind
    for value in store.confidential().values():
        assert value.reveal() not in done.stdout + done.stderr
    shown = founded.run("secrets.show", "made-here", "--reveal")
    assert shown.stdout == store.value("made-here").reveal()


def test_list_shows_a_ring_that_is_turning(founded: Operator) -> None:
    made = founded.run("secrets.set", "token-key", "--kind", "rsa-signing-ring", "--generate")
    assert made.returncode == 0, made.stderr
    ring = ring_text.parsed(Store.read(founded.path).value("token-key").text(), "ring")
    turned = ring_text.written(ring.published(RingKey(ring.next_kid, rsa_key.generate())))
    assert founded.run("secrets.set", "token-key", given=turned.reveal()).returncode == 0
    shown = json.loads(founded.run("secrets.list", "--json").stdout)["secrets"]["token-key"]
    assert shown == {"kind": "rsa-signing-ring", "fingerprint": ring.current.thumbprint, "phase": "published"}
    (row,) = [line for line in founded.run("secrets.list").stdout.decode().splitlines() if "token-key" in line]
    assert row.split() == ["token-key", "rsa-signing-ring", ring.current.thumbprint, "published"]


def test_a_ring_and_a_fernet_key_are_not_replaced_in_one_go(founded: Operator) -> None:
    for kind, said in (("rsa-signing-ring", b"would be lost"), ("fernet", b"not swapped")):
        assert founded.run("secrets.set", kind, "--kind", kind, "--generate").returncode == 0
        again = founded.run("secrets.set", kind, "--generate")
        assert again.returncode == 3
        assert said in again.stderr


def test_an_ssh_key_is_not_generated_in_passing(founded: Operator) -> None:
    refused = founded.run("secrets.set", "automation-key", "--generate")
    assert refused.returncode == 3
    assert b"not generated" in refused.stderr


def test_rekey_lets_somebody_in_and_lists_what_one_who_leaves_knew(founded: Operator) -> None:
    founded.run("secrets.set", "db-password", given=PASSWORD.encode())
    bob = sshkeys.generate("bob")[1]
    added = founded.run("secrets.rekey", "--add", bob)
    assert added.returncode == 0, added.stderr
    assert len(Store.read(founded.path).recipients) == 2
    removed = founded.run("secrets.rekey", "--remove", bob)
    assert removed.returncode == 0, removed.stderr
    assert len(Store.read(founded.path).recipients) == 1
    said = removed.stdout.decode()
    for name in ("ssh-ca", "automation-key", "db-password"):
        assert f"    {name}  " in said
    assert PASSWORD not in said


def test_rekey_refuses_whom_it_does_not_know_and_an_empty_room(founded: Operator) -> None:
    stranger = sshkeys.generate("stranger")[1]
    ours = Store.read(founded.path).recipients[0]
    before = founded.path.read_bytes()
    for argv, said in (
        (("--remove", stranger), b"does not read the store"),
        (("--remove", ours), b"nobody would read the store"),
        (("--remove", ours, "--add", stranger), b"no identity here opens this store"),
        (("--add", "nonsense"), b"cannot be read as a recipient"),
    ):
        refused = founded.run("secrets.rekey", *argv)
        assert refused.returncode == 3, refused
        assert said in refused.stderr
    assert founded.path.read_bytes() == before
