"""A ring in the store: each key a value of its own that git shows, the sops tool edits, and nobody moves unseen."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hostmuster.errors import InputError, Refused
from hostmuster.secrets import ring_text
from hostmuster.secrets.ring import Ring
from hostmuster.secrets.store import Store
from hostmuster.secrets.tampering import Tampered
from hostmuster.secrets.value import Secret

from .conftest import Edit, Operator
from .keys import pem, ring_key
from .test_sops_interop import independent_reader  # noqa: F401 - a fixture

OLD, NEW = ring_key("key-1"), ring_key("key-2", 1)
BEFORE = Ring(OLD)
PUBLISHED = BEFORE.published(NEW)
PROMOTED = PUBLISHED.promoted()
KIND = "rsa-signing-ring"


@pytest.fixture
def ringed(store: Store) -> Store:
    return store.set("token-key", ring_text.written(PUBLISHED), KIND)


def ring_of(store: Store) -> Ring:
    return ring_text.parsed(Store.read(store.path).value("token-key").text(), "token-key")


@pytest.mark.parametrize(
    ("ring", "phase"),
    [(BEFORE, None), (PUBLISHED, "published"), (PROMOTED, "promoted"), (BEFORE.without("key-1", NEW), "revoked")],
)
def test_the_phase_of_a_ring_is_seen_without_a_key(operator: Operator, store: Store, ring: Ring, phase: str) -> None:
    store.set("token-key", ring_text.written(ring), KIND)
    operator.age_file.unlink()
    assert Store.read(store.path).entries["token-key"].phase == phase


def sealed(store: Store, kid: str) -> str:
    found = re.search(rf'"{kid}":\n +use_unencrypted: \w+\n +value: (\S+)', store.path.read_text())
    assert found
    return found[1]


def test_a_ring_reads_back_as_it_was_set(ringed: Store) -> None:
    assert ring_of(ringed) == PUBLISHED
    assert ringed.fingerprint("token-key") == OLD.thumbprint
    assert pem().splitlines()[1] not in ringed.path.read_text()


def test_redaction_knows_each_key_apart(ringed: Store) -> None:
    hidden = ringed.confidential()
    assert (hidden["token-key:key-1"], hidden["token-key:key-2"]) == (OLD.private, NEW.private)


def test_a_store_gets_its_newer_format_with_its_first_ring(store: Store) -> None:
    assert "format_unencrypted: 1\n" in store.path.read_text()
    store.set("token-key", ring_text.written(BEFORE), KIND)
    assert "format_unencrypted: 2\n" in store.path.read_text()
    assert Store.read(store.path).value("db-password").text() == "correct horse"


def test_a_step_of_the_ring_changes_no_line_of_a_key_that_stays(store: Store) -> None:
    ring = store.set("token-key", ring_text.written(BEFORE), KIND)
    for step in (PUBLISHED, PROMOTED):
        before = ring.path.read_text().splitlines()
        ring = ring.set("token-key", ring_text.written(step))
        assert ring_of(ring) == step
        gone = [line.strip() for line in before if line not in ring.path.read_text().splitlines()]
        assert not [line for line in gone if line.startswith("value:")]


@pytest.mark.parametrize(
    ("then", "said"),
    [
        (Ring(NEW), "the key `key-1` would be lost"),
        (Ring(OLD), "the key `key-2` would be lost"),
        (Ring(ring_key("key-1", 2), OLD, (NEW,)), "the kid `key-1` stands 2 times"),
        (Ring(ring_key("key-3", 2), None, (OLD, NEW)), "tokens signed with `key-3` would not be verified"),
        (Ring(ring_key("other", 0), NEW), "tokens signed with `key-1` would not be verified"),
    ],
)
def test_no_key_is_lost_and_no_step_is_left_out(ringed: Store, then: Ring, said: str) -> None:
    before = ringed.path.read_bytes()
    with pytest.raises(Refused, match=re.escape(said)) as caught:
        ringed.set("token-key", ring_text.written(then))
    assert caught.value.exit_code == 3
    assert ringed.path.read_bytes() == before


def test_the_sops_tool_reads_a_ring(operator: Operator, ringed: Store) -> None:
    shown = operator.sops("decrypt", "--output-type", "json", str(ringed.path))
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["secrets"]["token-key"]["keys"] == {
        "key-1": {"use_unencrypted": "current", "value": OLD.private.text()},
        "key-2": {"use_unencrypted": "next", "value": NEW.private.text()},
    }


def test_the_sops_tool_adds_changes_and_removes_a_key(operator: Operator, ringed: Store) -> None:
    third, keys = ring_key("2024", 2), '["secrets"]["token-key"]["keys"]'
    added = json.dumps({"use_unencrypted": "previous", "value": third.private.text()})
    for argv in (
        ("set", str(ringed.path), f'{keys}["2024"]', added),
        ("set", str(ringed.path), f'{keys}["key-2"]["use_unencrypted"]', '"previous"'),
        ("unset", str(ringed.path), f'{keys}["key-2"]'),
    ):
        done = operator.sops(*argv)
        assert done.returncode == 0, done.stderr
    assert ring_of(ringed) == Ring(OLD, None, (third,))
    Store.read(ringed.path).set("token-key", ring_text.written(Ring(OLD, NEW, (third,))))
    assert operator.sops("decrypt", str(ringed.path)).returncode == 0


def test_an_independent_reader_agrees(independent_reader: Path, operator: Operator, ringed: Store) -> None:  # noqa: F811
    ringed.set("ai-key", Secret("-_8TocjZey5EBfCdu2HMAtGPqeY3elUQtCyY7mED_f4="), "fernet")
    key = next(line for line in operator.age_file.read_text().splitlines() if line.startswith("AGE-SECRET-KEY-"))
    node = Path(sys.executable).with_name("node")
    answer = subprocess.run(
        [node, independent_reader, ringed.path], input=key, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    seen = json.loads(answer.stdout)["secrets"]
    assert {kid: one["value"] for kid, one in seen["token-key"]["keys"].items()} == {
        "key-1": OLD.private.text(),
        "key-2": NEW.private.text(),
    }
    assert seen["ai-key"]["kind_unencrypted"] == "fernet"


def findings(store: Store) -> str:
    with pytest.raises(Tampered) as caught:
        Store.read(store.path).value("db-password")
    return str(caught.value)


def test_a_key_moved_to_another_kid_is_named_with_where_it_came_from(ringed: Store, edit: Edit) -> None:
    edit(sealed(ringed, "key-1"), sealed(ringed, "key-2"))
    assert "token-key:key-1: this value was moved here from token-key:key-2" in findings(ringed)


def test_a_key_made_a_secret_of_its_own_is_named(ringed: Store, edit: Edit) -> None:
    value = re.findall(r"api-token:\n +kind_unencrypted: opaque\n +value: (\S+)", ringed.path.read_text())[0]
    edit(value, sealed(ringed, "key-2"))
    assert "api-token: this value was moved here from token-key:key-2" in findings(ringed)


def test_a_key_taken_out_by_hand_is_named(ringed: Store) -> None:
    text = ringed.path.read_text()
    ringed.path.write_text(re.sub(r' +"key-2":\n.*\n.*\n', "", text))
    assert "the key `key-2` of the secret `token-key` was removed" in findings(ringed)


def test_the_key_that_signs_exchanged_by_hand_is_noticed(ringed: Store) -> None:
    text = ringed.path.read_text()
    text = text.replace("use_unencrypted: current", "x").replace("use_unencrypted: next", "use_unencrypted: current")
    ringed.path.write_text(text.replace(" x\n", " use_unencrypted: next\n"))
    assert "the MAC is wrong" in findings(ringed)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("use_unencrypted: next", "use_unencrypted: current", "2 keys are `current` and 0 `next`"),
        ("use_unencrypted: current", "use_unencrypted: next", "0 keys are `current` and 2 `next`"),
        ("use_unencrypted: next", "use_unencrypted: spare", "a key needs"),
        ("use_unencrypted: next", "purpose: next", "a key needs"),
        ('"key-2":', '"key-1":', "stands twice"),
        ('"key-2":', '"key-2_unencrypted":', "a key needs"),
        ("        keys:\n", "        values:\n", "has no `keys`"),
        ("kind_unencrypted: rsa-signing-ring", "kind_unencrypted: opaque", "has no `value`"),
    ],
)
def test_a_broken_ring_is_refused_by_line_before_anything_is_read(
    ringed: Store, edit: Edit, old: str, new: str, said: str
) -> None:
    edit(old, new)
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        Store.read(ringed.path)
    assert re.match(rf"{re.escape(str(ringed.path))}:\d+: ", str(caught.value))
