"""The same secrets, kinds and rules in a Vault: each version a whole state, and no writer loses what another wrote."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hostmuster.errors import InputError, Refused
from hostmuster.secrets import ring_text
from hostmuster.secrets.generation import of_store
from hostmuster.secrets.kinds import fernet
from hostmuster.secrets.reader import Reader
from hostmuster.secrets.ring import Ring, RingKey
from hostmuster.secrets.succession import Succession
from hostmuster.secrets.value import Secret
from hostmuster.secrets.vault.store import TRIES
from tests.unit.secrets.keys import ring_key
from tests.unit.secrets.vault.conftest import VaultOperator
from tests.unit.secrets.vault.server import VaultServer

KIND = "rsa-signing-ring"
OLD, NEW = ring_key("key-1"), ring_key("key-2", 1)


def stepped(change: Callable[[Ring], Ring]) -> Callable[[Secret], Secret]:
    return lambda value: ring_text.written(change(ring_text.parsed(value.text(), "ring")))


def ring_of(operator: VaultOperator) -> Ring:
    return ring_text.parsed(operator.opened().value("token-key").text(), "token-key")


def test_a_new_store_has_the_two_keys_that_every_fleet_needs(founded: VaultOperator, vault: VaultServer) -> None:
    store = founded.opened()
    assert store.names() == ("automation-key", "ssh-ca")
    assert store.version == len(vault.versions) == 1
    assert store.public()["ssh-ca.pub"].startswith("ssh-ed25519 ")
    assert store.fingerprint("ssh-ca").startswith("SHA256:")
    again = founded.run("secrets.init")
    assert (again.returncode, b"there is something already" in again.stderr) == (3, True)


def test_each_write_is_a_version_and_reads_back_as_it_was_given(founded: VaultOperator, vault: VaultServer) -> None:
    store = founded.opened().set("db-password", Secret("correct horse")).set("render", Secret("x7" * 20), "opaque")
    assert (store.version, store.value("db-password").text()) == (3, "correct horse")
    assert vault.newest["secrets"]["db-password"] == {"kind": "opaque", "value": "correct horse"}
    assert (
        store.fingerprint("db-password") == founded.opened().fingerprint("db-password") != store.fingerprint("render")
    )
    assert "correct" not in repr(store)


def test_a_ring_turns_key_by_key_in_the_order_it_had(founded: VaultOperator, vault: VaultServer) -> None:
    founded.opened().set("token-key", ring_text.written(Ring(OLD)), KIND)
    founded.opened().turn("token-key", stepped(lambda ring: ring.published(NEW)))
    founded.opened().turn("token-key", stepped(Ring.promoted))
    assert [(key["kid"], key["use"]) for key in vault.newest["secrets"]["token-key"]["keys"]] == [
        ("key-2", "current"),
        ("key-1", "previous"),
    ]
    assert ring_of(founded) == Ring(OLD, NEW).promoted()
    assert founded.opened().entries["token-key"].phase == "promoted"
    assert set(founded.opened().confidential()) >= {"token-key:key-1", "token-key:key-2"}


def test_the_rules_of_kinds_are_the_same(founded: VaultOperator, vault: VaultServer) -> None:
    founded.opened().set("token-key", ring_text.written(Ring(OLD)), KIND)
    with pytest.raises(Refused, match="the key `key-1` would be lost"):
        founded.opened().set("token-key", ring_text.written(Ring(NEW)))
    with pytest.raises(Refused, match="is of kind rsa-signing-ring, not fernet"):
        founded.opened().set("token-key", Secret("a" * 44), "fernet")
    with pytest.raises(InputError):
        founded.opened().set("ai-key", Secret("changeme"), "fernet")
    assert len(vault.versions) == 2


def test_what_is_taken_out_is_in_no_newer_version(founded: VaultOperator, vault: VaultServer) -> None:
    before = vault.newest["salt"]
    founded.opened().set("db-password", Secret("correct horse"))
    store = founded.opened().remove("db-password")
    assert (store.version, store.names()) == (3, ("automation-key", "ssh-ca"))
    assert vault.newest["salt"] == before
    assert "db-password" not in vault.newest["secrets"]
    with pytest.raises(Refused, match="no secret named `db-password`"):
        store.remove("db-password")
    with pytest.raises(Refused, match="`ssh-ca` is hostmuster's own"):
        store.remove("ssh-ca")
    assert len(vault.versions) == 3


def test_what_another_clone_wrote_meanwhile_is_kept(founded: VaultOperator, vault: VaultServer) -> None:
    """Both read version 1; the other one is first. Ours is refused, judged anew upon version 2, and comes after it."""
    other = founded.opened()
    vault.before_write = lambda: other.set("theirs", Secret("their value"))
    founded.opened().set("ours", Secret("our value"))
    assert len(vault.versions) == 3
    assert set(founded.opened().names()) >= {"ours", "theirs"}


def test_two_clones_that_turn_one_ring_at_once_lose_no_key(founded: VaultOperator, vault: VaultServer) -> None:
    """Both would publish a next key. The second sees that of the first, as a rotation's step does, and adds none."""
    founded.opened().set("token-key", ring_text.written(Ring(OLD)), KIND)
    other = founded.opened()

    def published(key: RingKey) -> Callable[[Secret], Secret]:
        return stepped(lambda ring: ring if ring.next else ring.published(key))

    vault.before_write = lambda: other.turn("token-key", published(NEW))
    founded.opened().turn("token-key", published(ring_key("key-3", 2)))
    assert ring_of(founded) == Ring(OLD, NEW)


def test_somebody_who_always_writes_first_is_no_endless_wait(founded: VaultOperator, vault: VaultServer) -> None:
    def again() -> None:
        vault.versions.append(vault.versions[-1])
        vault.before_write = again

    vault.before_write = again
    with pytest.raises(Refused, match="others write to it all the time; nothing was written"):
        founded.opened().set("db-password", Secret("correct horse"))
    assert len([1 for method, _ in vault.seen if method == "POST"]) == TRIES + 1
    assert "db-password" not in founded.opened().names()


def test_a_generation_is_numbered_no_lower_than_the_version_it_was_made_from(founded: VaultOperator) -> None:
    store = founded.opened().set("db-password", Secret("correct horse"))
    readers = {"server-1": {"app": Reader(unit="app.service", env={"DATABASE_PASSWORD": "db-password"})}}
    assert of_store(store, readers, "automation-key").version == 2


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"format": 2}, "the store's format is 2, this hostmuster knows 1"),
        ({"salt": ""}, "`salt` is not what a store has there"),
        ({"secrets": {"db": {"kind": "opaque"}}}, "`db` has no `value`"),
        ({"secrets": {"Db": {"kind": "opaque", "value": "secret-value"}}}, "not a name for a secret"),
        ({"secrets": {"db": {"kind": "odd", "value": "secret-value"}}}, "unknown kind `odd`"),
        ({"secrets": {"db": {"kind": KIND, "value": "secret-value"}}}, "`db` has no `keys`"),
        ({"secrets": {"db": {"kind": "opaque", "value": ["secret-value"]}}}, "`secrets.db.value` is not what"),
        (
            {"secrets": {"db": {"kind": KIND, "keys": [{"kid": "a", "use": "next", "value": "secret-value"}]}}},
            "0 keys are `current` and 1 `next`",
        ),
    ],
)
def test_a_version_that_is_no_store_is_refused_without_a_value(
    founded: VaultOperator, vault: VaultServer, broken: dict[str, object], said: str
) -> None:
    vault.versions[-1].data = {**vault.newest, **broken}
    with pytest.raises(Refused) as caught:
        founded.opened()
    assert said in str(caught.value)
    assert "secret-value" not in str(caught.value)


def test_the_next_fernet_key_stands_beside_the_one_in_use_until_it_takes_its_place(founded: VaultOperator) -> None:
    old, new = fernet.generate("ai-key"), fernet.generate("ai-key")
    migrating = founded.opened().set("ai-key", old, "fernet").succeed("ai-key", lambda one: one.prepared(new))
    assert migrating.set("ai-key", old).succession("ai-key") == Succession(old, new)
    assert (migrating.value("ai-key"), migrating.entries["ai-key"].phase) == (old, "migrating")
    assert migrating.confidential()["ai-key:next"] == new
    promoted = migrating.succeed("ai-key", Succession.promoted)
    assert (promoted.succession("ai-key"), promoted.entries["ai-key"].phase) == (Succession(new), None)
