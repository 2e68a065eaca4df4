"""A Fernet key and the next one in a store: git shows the step, the sops tool reads it, and nobody moves one unseen."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hostmuster.errors import InputError, Refused
from hostmuster.report.redaction import Redaction
from hostmuster.secrets.generation import of_store
from hostmuster.secrets.kinds.fernet import generate
from hostmuster.secrets.reader import Reader
from hostmuster.secrets.store import Store
from hostmuster.secrets.succession import Succession
from hostmuster.secrets.tampering import Tampered
from hostmuster.secrets.value import Secret

from .conftest import Edit, Operator

OLD, NEW = generate("ai-key"), generate("ai-key")


@pytest.fixture
def resting(store: Store) -> Store:
    """One key, between other secrets."""
    return store.set("ai-key", OLD, "fernet").set("after", Secret("what stands behind it"))


@pytest.fixture
def migrating(resting: Store) -> Store:
    return resting.succeed("ai-key", lambda one: one.prepared(NEW))


def test_the_next_key_stands_beside_the_one_in_use_and_nobody_is_given_it(migrating: Store) -> None:
    now = Store.read(migrating.path)
    assert now.succession("ai-key") == Succession(OLD, NEW)
    assert now.value("ai-key") == OLD
    reader = Reader(unit="app.service", env={"AI_KEY": "ai-key"}, files={"ai-key": "ai-key"})
    given = of_store(now, {"server-1": {"app": reader}}, "automation-key").on("server-1", 1)
    assert all(NEW.reveal() not in content for content in given.values())


def test_promoted_it_takes_the_place_and_withdrawn_it_goes(resting: Store, migrating: Store) -> None:
    promoted = migrating.succeed("ai-key", Succession.promoted)
    assert promoted.succession("ai-key") == Succession(NEW)
    again = promoted.succeed("ai-key", lambda one: one.prepared(OLD)).succeed("ai-key", Succession.withdrawn)
    assert again.succession("ai-key") == Succession(NEW)
    for name in ("db-password", "after"):
        assert again.value(name) == resting.value(name)


def test_each_step_changes_the_lines_of_this_secret_alone(resting: Store) -> None:
    resting.path.write_text(resting.path.read_text().replace("    after:", "    # the one behind it\n    after:"))
    resting = Store.read(resting.path)
    at_rest = resting.path.read_text().splitlines()
    migrating = resting.succeed("ai-key", lambda one: one.prepared(NEW))
    gone = [line for line in at_rest if line not in migrating.path.read_text().splitlines()]
    assert {line.split(":")[0].strip() for line in gone} <= {"format_unencrypted", "names", "mac", "lastmodified"}
    withdrawn = migrating.succeed("ai-key", Succession.withdrawn).path.read_text().splitlines()
    changed = [line for line in withdrawn if line not in at_rest]
    assert {line.split(":")[0].strip() for line in changed} <= {"format_unencrypted", "names", "mac", "lastmodified"}


def test_a_second_key_to_come_does_not_push_out_the_first(migrating: Store) -> None:
    assert migrating.succeed("ai-key", lambda one: one.prepared(generate("ai-key"))).succession("ai-key").next == NEW


def test_the_phase_is_seen_without_a_key(operator: Operator, resting: Store, migrating: Store) -> None:
    assert resting.entries["ai-key"].phase is None
    operator.age_file.unlink()
    assert Store.read(migrating.path).entries["ai-key"].phase == "migrating"


def test_redaction_and_the_guard_know_both(migrating: Store) -> None:
    hidden = migrating.confidential()
    assert (hidden["ai-key"], hidden["ai-key:next"]) == (OLD, NEW)
    assert NEW.text() not in Redaction(hidden.values()).apply(f"key={NEW.text()}")


def test_it_is_set_again_only_as_it_is_while_the_next_one_waits(migrating: Store) -> None:
    with pytest.raises(Refused, match="a Fernet key is not swapped"):
        migrating.set("ai-key", NEW)
    assert migrating.set("ai-key", OLD).succession("ai-key") == Succession(OLD, NEW)


def test_a_weak_key_does_not_become_the_next_one(resting: Store) -> None:
    before = resting.path.read_bytes()
    with pytest.raises(InputError, match="32 bytes of text"):
        resting.succeed("ai-key", lambda one: one.prepared(Secret("YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE=")))
    assert resting.path.read_bytes() == before


def test_the_sops_tool_reads_both_and_a_new_data_key_keeps_them(operator: Operator, migrating: Store) -> None:
    rekeyed = migrating.rekey()
    assert rekeyed.succession("ai-key") == Succession(OLD, NEW)
    shown = operator.sops("decrypt", "--output-type", "json", str(migrating.path))
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["secrets"]["ai-key"] == {
        "kind_unencrypted": "fernet",
        "value": OLD.text(),
        "keys": {"next": {"use_unencrypted": "next", "value": NEW.text()}},
    }


def sealed(path: Path) -> tuple[str, str]:
    """The value in use, and the next one, as they stand in the file."""
    found = re.search(r"ai-key:\n.*\n +value: (\S+)\n +keys:\n.*\n.*\n +value: (\S+)", path.read_text())
    assert found
    return found[1], found[2]


def test_the_next_key_moved_into_the_place_by_hand_is_named(migrating: Store, edit: Edit) -> None:
    current, coming = sealed(migrating.path)
    edit(current, coming)
    with pytest.raises(Tampered, match="ai-key: this value was moved here from ai-key:next"):
        Store.read(migrating.path).verify()


def test_the_next_key_taken_out_by_hand_is_named(migrating: Store) -> None:
    text = migrating.path.read_text()
    migrating.path.write_text(re.sub(r' +keys:\n +"next":\n.*\n.*\n', "", text))
    with pytest.raises(Tampered, match="the key `next` of the secret `ai-key` was removed"):
        Store.read(migrating.path).verify()


def test_two_keys_to_come_are_refused_by_line(migrating: Store) -> None:
    text = migrating.path.read_text()
    (part,) = re.findall(r' +"next":\n.*\n.*\n', text)
    migrating.path.write_text(text.replace(part, part + part.replace('"next"', '"other"')))
    with pytest.raises(InputError, match="beside its value only the next one may stand"):
        Store.read(migrating.path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "use_unencrypted: next",
            "use_unencrypted: previous",
            "beside its value only the next one may stand",
        ),
        ("kind_unencrypted: fernet", "kind_unencrypted: opaque", "unknown key `keys`"),
    ],
)
def test_anything_else_beside_a_value_is_refused_by_line(
    migrating: Store, edit: Edit, old: str, new: str, said: str
) -> None:
    edit(old, new)
    with pytest.raises(InputError, match=re.escape(said)):
        Store.read(migrating.path)
