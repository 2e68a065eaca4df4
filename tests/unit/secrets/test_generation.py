"""What a generation is: the same for the same secrets, another for others, and what may serve beside it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hostmuster.engine.rollout import generation_number
from hostmuster.errors import InputError, Refused
from hostmuster.secrets import ring_text, rsa_key
from hostmuster.secrets.founding import found_store
from hostmuster.secrets.generation import IDENTITY, Generation, Held, of_store
from hostmuster.secrets.kinds.catalogue import KINDS
from hostmuster.secrets.reader import Reader
from hostmuster.secrets.ring import RingKey, Serves
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret
from tests.unit.env import systemd_parser

KEY = "automation-key"
READERS = {
    "api": Reader(
        unit="api.service",
        env={"TOKEN": "api-token", "KID": "signing#kid", "PREVIOUS": "signing#previous"},
        files={"key": "signing#private_key"},
    )
}


@pytest.fixture(scope="module")
def founded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    path = home / "secrets" / "lab.yml"
    found_store(path, "lab", (), {"HOME": str(home)}, home)
    return path


@pytest.fixture
def store(founded: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("HOME", str(founded.parents[1]))
    now = Store.read(founded)
    if "signing" not in now.names():
        kind = "rsa-signing-ring"
        made = KINDS[kind].generate
        assert made is not None
        now = now.set("signing", made("signing"), kind)
    return now.set("api-token", Secret("the first token of all"))


def of(store: Store, *hosts: str) -> Generation:
    return of_store(store, dict.fromkeys(hosts, READERS), KEY)


def test_each_reader_gets_its_environment_and_its_files(store: Store) -> None:
    files = of(store, "a").on("a", 3)
    assert set(files) == {"api.env", "api/key", IDENTITY}
    assert files["api.env"].startswith(b'TOKEN="the first token of all"\nKID="signing-1"\nPREVIOUS="[]"\n')
    assert files["api/key"].startswith(b"-----BEGIN PRIVATE KEY-----\n")
    assert files[IDENTITY].splitlines()[0].split()[0] == b"3"
    held = Held.parse(files[IDENTITY].decode())
    assert held is not None
    assert (held.number, list(held.rings)) == (3, ["signing"])
    assert not any(secret in files[IDENTITY] for secret in (b"first token", b"PRIVATE"))


def test_one_more_host_is_no_other_generation_and_another_value_is(store: Store) -> None:
    first = of(store, "a", "b")
    assert of(store, "a", "b", "c").identity == first.identity
    changed = store.set("api-token", Secret("another token than that"))
    assert of(changed, "a", "b").identity != first.identity


def test_what_a_reader_cannot_be_given_is_told_at_once_without_the_value(store: Store) -> None:
    readers = {"api": Reader(unit="api.service", env={"A": "nowhere", "B": "signing"}, files={})}
    with pytest.raises(InputError) as caught:
        of_store(store, {"a": readers, "b": readers}, KEY)
    assert "no secret named `nowhere`" in str(caught.value)
    with pytest.raises(Refused):
        of_store(store, {"a": {}}, KEY)


def test_rings_of_which_one_does_not_verify_the_other_may_not_serve_together(store: Store) -> None:
    now = of(store, "a")
    held = Held.parse(now.on("a", 1)[IDENTITY].decode())
    assert held is not None
    assert now.obstacle(held) is None
    other = Held(1, "x", {"signing": Serves("signing-9/abc", frozenset({"signing-9/abc"}))}, {})
    assert "signed with `signing-1` would not be verified" in str(now.obstacle(other))


def test_a_store_in_which_the_key_that_signs_is_only_to_come_is_an_older_one(
    store: Store, founded: Path, tmp_path: Path
) -> None:
    ring = ring_text.parsed(store.value("signing").text(), "ring")
    published = ring.published(RingKey("signing-2", rsa_key.generate()))
    own = Store.read(Path(shutil.copy(founded, tmp_path / "lab.yml")))
    older = of(own.turn("signing", lambda _: ring_text.written(published)), "a")
    promoted = of(own.turn("signing", lambda _: ring_text.written(published.promoted())), "a")
    before, after = (Held.parse(one.on("a", 1)[IDENTITY].decode()) for one in (older, promoted))
    assert before is not None
    assert after is not None
    assert (promoted.obstacle(before), older.obstacle(before)) == (None, None)
    said = str(older.obstacle(after))
    assert said == "of the ring signing, `signing-2` signs there, and in the store it is yet to: the store is older"
    assert older.obstacle(after, apart_from="signing") is None


def test_a_shared_credential_has_no_neighbour(store: Store) -> None:
    made = store.set("shared", Secret("a" * 8 + "Zq3n8Vx0Lm5Tr7Yp2Wk9Jd4Hs6Gb1Fc"), "shared-credential")
    readers = {"a": {"api": Reader(unit="api.service", env={"S": "shared"})}}
    before = Held.parse(of_store(made, readers, KEY).on("a", 1)[IDENTITY].decode())
    turned = made.set("shared", Secret("b" * 8 + "Zq3n8Vx0Lm5Tr7Yp2Wk9Jd4Hs6Gb1Fc"))
    assert before is not None
    assert "shared has another value" in str(of_store(turned, readers, KEY).obstacle(before))
    assert of_store(turned, readers, KEY).obstacle(before, apart_from="shared") is None


def test_a_rings_verifying_keys_reach_the_service_through_systemd_as_json(store: Store, tmp_path: Path) -> None:
    ring = ring_text.parsed(store.value("signing").text(), "ring")
    turned = store.set("signing", ring_text.written(ring.published(RingKey("signing-2", rsa_key.generate()))))
    (tmp_path / "api.env").write_bytes(of(turned, "a").on("a", 1)["api.env"])
    held = Held.parse(of(turned, "a").on("a", 1)[IDENTITY].decode())
    assert held is not None
    assert {word.partition("/")[0] for word in held.rings["signing"].verifies} == {"signing-1", "signing-2"}
    (entry,) = json.loads(systemd_parser.read(tmp_path / "api.env")["PREVIOUS"])
    assert entry["kid"] == "signing-2"
    assert rsa_key.thumbprint(Secret(entry["private_key"])) == rsa_key.thumbprint(
        ring_text.parsed(turned.value("signing").text(), "ring").verifying[0].private
    )


def test_a_revoked_key_is_in_no_generation(store: Store) -> None:
    """The store keeps it until every replica is proved to be without it; no service gets it."""
    ring = ring_text.parsed(store.value("signing").text(), "ring")
    leaked = ring.next or RingKey(ring.next_kid, rsa_key.generate())
    store = store.set("signing", ring_text.written(ring.published(leaked)))
    assert leaked.kid in str(of(store, "a"))
    without = ring.published(leaked).without(leaked.kid, RingKey("unused", rsa_key.generate()))
    store = store.set("signing", ring_text.written(without))
    assert ring_text.parsed(store.value("signing").text(), "ring").revoked == (leaked,)
    assert leaked.kid not in str(of(store, "a"))


def test_whom_it_is_made_without_is_said_in_it_and_makes_it_no_other_one(store: Store) -> None:
    whole = of(store, "a", "b")
    without = replace(whole, excluded=("b",))
    held = Held.parse(without.on("a", 9)[IDENTITY].decode())
    assert held is not None
    assert (held.number, held.identity, held.excluded) == (9, whole.identity, ("b",))


def test_a_number_is_of_one_state_only_whoever_was_left_out(store: Store) -> None:
    state = of(store, "a", "b")
    same, other = Held(7, state.identity, {}, {}), Held(7, "another", {}, {})
    assert generation_number(state, {"a": None, "b": None}) == 1
    assert generation_number(state, {"a": same, "b": same}) == 7
    assert generation_number(state, {"a": same, "b": Held(6, "another", {}, {})}) == 7
    assert generation_number(state, {"a": same, "b": other}) == 8
    assert generation_number(state, {"a": other}) == 8
    # Whoever is left out may have 8 of a rollout that was cut off.
    assert generation_number(replace(state, excluded=("b",)), {"a": other}) == 9
    assert generation_number(replace(state, excluded=("b",)), {"a": same}) == 7
