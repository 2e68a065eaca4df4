"""A store under a new data key: who was taken out reads nothing that is written from now on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyrage
import pytest

from hostmuster.errors import Refused
from hostmuster.secrets import ring_text
from hostmuster.secrets.recipients import Identities, Identity
from hostmuster.secrets.ring import Ring
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret

from .conftest import Operator
from .keys import ring_key


@pytest.fixture
def bob() -> Identities:
    return Identities((Identity(Path("bob"), pyrage.x25519.Identity.generate()),), ())


def recipient_of(who: Identities) -> str:
    key = who.found[0].key
    assert isinstance(key, pyrage.x25519.Identity)
    return str(key.to_public())


def values_of(store: Store) -> dict[str, str]:
    return {name: store.value(name).text() for name in store.names()}


def test_every_value_is_encrypted_anew_and_stays_what_it_is(store: Store) -> None:
    store = store.set("token-key", ring_text.written(Ring(ring_key("a"), ring_key("b", 1))), "rsa-signing-ring")
    before, text = values_of(store), store.path.read_text()
    now = store.rekey()
    assert values_of(now) == before
    old = set(re.findall(r"ENC\[\S+", text))
    assert not old & set(re.findall(r"ENC\[\S+", now.path.read_text()))
    assert [re.sub("ENC.*", "", line) for line in text.splitlines() if "secret" in line or "_unencrypted" in line] == [
        re.sub("ENC.*", "", line) for line in now.path.read_text().splitlines()
        if "secret" in line or "_unencrypted" in line
    ]  # fmt: skip


def test_one_who_is_added_reads_and_one_who_is_removed_does_not(store: Store, bob: Identities) -> None:
    ours = store.recipients
    both = store.rekey(add=[recipient_of(bob)])
    assert Store.read(store.path, bob).value("db-password").text() == "correct horse"
    alone = both.rekey(remove=[recipient_of(bob)])
    assert alone.recipients == ours
    with pytest.raises(Refused, match="no identity here opens this store"):
        Store.read(store.path, bob).value("db-password")


def test_the_key_of_one_who_was_removed_opens_no_value_set_afterwards(store: Store, bob: Identities) -> None:
    both = store.rekey(add=[recipient_of(bob)])
    theirs = Store.read(store.path, bob)._opened.key
    both.rekey(remove=[recipient_of(bob)]).set("db-password", Secret("a new password"))
    assert Store.read(store.path).file.unseal(theirs).values == {}


def test_who_would_lock_oneself_out_is_refused(store: Store, bob: Identities) -> None:
    before = store.path.read_bytes()
    with pytest.raises(Refused, match="no identity here opens this store"):
        store.rekey(add=[recipient_of(bob)], remove=store.recipients)
    assert store.path.read_bytes() == before


def test_the_sops_tool_reads_it_afterwards_comments_too(operator: Operator, store: Store) -> None:
    plain = operator.sops("decrypt", str(store.path)).stdout
    plain = plain.replace("    db-password:", "    # rotated in spring\n    db-password:")
    store.path.write_text("# the lab's store\n" + plain)
    done = operator.sops("encrypt", "--age", store.recipients[0], "--in-place", str(store.path))
    assert done.returncode == 0, done.stderr
    Store.read(store.path).rekey()
    shown = operator.sops("decrypt", str(store.path))
    assert shown.returncode == 0, shown.stderr
    assert "# the lab's store" in shown.stdout
    assert "# rotated in spring" in shown.stdout
    assert operator.sops("set", str(store.path), '["secrets"]["api-token"]["value"]', '"theirs"').returncode == 0
    assert Store.read(store.path).value("api-token").text() == "theirs"


def test_the_sops_tools_other_recipients_are_not_left_with_the_old_key(store: Store) -> None:
    text = store.path.read_text().replace("sops:\n", "sops:\n    pgp:\n        - fp: ABC\n          enc: x\n")
    store.path.write_text(text)
    with pytest.raises(Refused, match="recipients under `pgp` too"):
        Store.read(store.path).rekey()
    assert store.path.read_text() == text


def test_rules_of_sops_other_than_ours_are_kept(operator: Operator, store: Store) -> None:
    rules = {"creation_rules": [{"encrypted_regex": "^(value|names)$", "age": store.recipients[0]}]}
    (operator.project / ".sops.yaml").write_text(json.dumps(rules))
    store.path.write_text(operator.sops("decrypt", str(store.path)).stdout)
    assert operator.sops("encrypt", "--in-place", str(store.path)).returncode == 0
    now = Store.read(store.path).set("token-key", ring_text.written(Ring(ring_key("a"))), "rsa-signing-ring")
    now = now.rekey()
    assert "encrypted_regex: ^(value|names)$" in now.path.read_text()
    assert now.value("api-token").text() == "battery staple"
    assert operator.sops("decrypt", str(store.path)).returncode == 0
