"""Who can read a store, and how somebody who cannot is told."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest

from hostmuster.errors import InputError, Refused
from hostmuster.secrets.founding import found_store
from hostmuster.secrets.recipients import Identities, make_identity, recipient
from hostmuster.secrets.store import Store

from .conftest import Operator, operator_in


def ssh_key(path: Path, *options: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    words = options or ("-t", "ed25519", "-N", "")
    subprocess.run(["ssh-keygen", "-q", *words, "-C", "me@here", "-f", path], check=True)
    return path.with_suffix(".pub").read_text().strip()


def test_a_new_operator_gets_an_age_identity_and_is_told(operator: Operator) -> None:
    founded = found_store(operator.path, "lab", [], operator.environ, operator.home)
    assert stat.S_IMODE(operator.age_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(operator.age_file.parent.stat().st_mode) == 0o700
    said = "\n".join(founded.statements)
    for made in (str(operator.age_file), str(operator.path), "ssh-ca: made", "automation-key: made", "age1"):
        assert made in said
    assert "PRIVATE" not in said
    assert "AGE-SECRET" not in said
    founded.store.verify()


def test_an_operators_ssh_key_is_taken_where_there_is_one(operator: Operator) -> None:
    public = ssh_key(operator.home / ".ssh" / "id_ed25519")
    founded = found_store(operator.path, "lab", [], operator.environ, operator.home)
    assert founded.store.recipients == (" ".join(public.split()[:2]),)
    assert not operator.age_file.exists()
    Store.read(operator.path).verify()


def test_an_ssh_key_with_a_passphrase_cannot_open_a_store_so_an_age_identity_is_made(operator: Operator) -> None:
    ssh_key(operator.home / ".ssh" / "id_ed25519", "-t", "ed25519", "-N", "locked")
    founded = found_store(operator.path, "lab", [], operator.environ, operator.home)
    assert founded.store.recipients[0].startswith("age1")
    assert any("protected by a passphrase" in line for line in founded.statements)


def test_an_age_identity_that_is_there_is_used_again(operator: Operator) -> None:
    first = make_identity(operator.age_file)
    assert found_store(operator.path, "lab", [], operator.environ, operator.home).store.recipients == (first,)


def test_an_identity_file_is_never_overwritten(operator: Operator) -> None:
    make_identity(operator.age_file)
    before = operator.age_file.read_text()
    with pytest.raises(Refused, match="exists already"):
        make_identity(operator.age_file)
    assert operator.age_file.read_text() == before


def test_a_store_is_never_made_over_another(operator: Operator, store: Store) -> None:
    before = store.path.read_bytes()
    with pytest.raises(Refused, match="a store already"):
        found_store(operator.path, "lab", [], operator.environ, operator.home)
    assert store.path.read_bytes() == before


def test_each_of_several_recipients_opens_the_store(operator: Operator, tmp_path: Path) -> None:
    others = [operator_in(tmp_path / name) for name in ("alice", "bob")]
    age = make_identity(others[0].age_file)
    ssh_key(others[1].home / ".ssh" / "id_ed25519")
    given = [age, str(others[1].home / ".ssh" / "id_ed25519.pub")]
    founded = found_store(operator.path, "lab", given, operator.environ, operator.home)
    assert "no identity on this machine opens it" in founded.statements[-1]
    for other in others:
        Store.read(operator.path, Identities.of_operator(other.environ, other.home)).verify()


def test_who_is_no_recipient_is_told_who_is(store: Store, tmp_path: Path) -> None:
    stranger = operator_in(tmp_path / "stranger")
    make_identity(stranger.age_file)
    theirs = Store.read(store.path, Identities.of_operator(stranger.environ, stranger.home))
    with pytest.raises(Refused) as caught:
        theirs.value("db-password")
    assert store.recipients[0] in str(caught.value)
    assert str(stranger.age_file) in str(caught.value)
    assert theirs.names() == store.names()
    assert theirs.public() == store.public()


def test_without_any_identity_public_halves_are_read_all_the_same(store: Store, tmp_path: Path) -> None:
    nobody = operator_in(tmp_path / "nobody")
    theirs = Store.read(store.path, Identities.of_operator(nobody.environ, nobody.home))
    assert theirs.public()["ssh-ca.pub"].startswith("ssh-ed25519 ")
    with pytest.raises(Refused, match="tried: none found"):
        theirs.verify()


def test_a_key_file_that_is_named_and_not_there_is_told(operator: Operator, store: Store, tmp_path: Path) -> None:
    missing = {"SOPS_AGE_KEY_FILE": str(tmp_path / "missing")}
    nobody = operator_in(tmp_path / "nobody")
    told = f"SOPS_AGE_KEY_FILE names {tmp_path / 'missing'}, which is not there"
    with pytest.raises(Refused) as caught:
        Store.read(store.path, Identities.of_operator(nobody.environ | missing, nobody.home)).verify()
    assert told in str(caught.value)
    # The others are looked for, and named by nobody.
    assert str(nobody.age_file) not in str(caught.value)
    founded = found_store(nobody.path, "lab", [], nobody.environ | missing, nobody.home)
    assert told in founded.statements


def test_identities_are_tried_in_the_documented_order(operator: Operator) -> None:
    files = [operator.home / ".config/sops/age/keys.txt", operator.age_file, operator.project / "given.txt"]
    for file in files:
        make_identity(file)
    ssh_key(operator.home / ".ssh" / "id_ed25519")
    environ = {**operator.environ, "SOPS_AGE_KEY_FILE": str(files[2])}
    found = Identities.of_operator(environ, operator.home).found
    expected = [files[2], files[0], files[1], operator.home / ".ssh" / "id_ed25519"]
    assert [identity.source for identity in found] == expected


def test_a_recipient_is_made_canonical(operator: Operator) -> None:
    public = ssh_key(operator.home / "key")
    assert recipient(public) == recipient(str(operator.home / "key.pub")) == " ".join(public.split()[:2])


@pytest.mark.parametrize(
    "given",
    [
        "",
        "age1",
        "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq",
        "AGE-SECRET-KEY-1QXRVEJH9S4NQU0FPD6V79ESZQ8S6PXH3L8V40EVPTHFH6KNKD4DQ7SKC4P",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC7",
        "ssh-ed25519 AAAA",
        "ssh-ed25519",
        "/nowhere/key.pub",
    ],
)
def test_what_is_no_recipient_is_refused_and_nothing_is_made(operator: Operator, given: str) -> None:
    with pytest.raises(InputError) as caught:
        found_store(operator.path, "lab", [given], operator.environ, operator.home)
    assert "SECRET-KEY-1QX" not in str(caught.value)
    assert not operator.path.exists()


def test_a_private_key_file_given_as_recipient_is_refused(operator: Operator) -> None:
    ssh_key(operator.home / "key")
    with pytest.raises(InputError, match=r"private key|lines"):
        recipient(str(operator.home / "key"))
