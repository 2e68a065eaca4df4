"""What was done to a store is named, with the secret and the line; nothing of such a file is ever used."""

from __future__ import annotations

import re

import pytest

from hostmuster.errors import InputError
from hostmuster.secrets import sshkeys
from hostmuster.secrets.kinds.catalogue import KINDS
from hostmuster.secrets.kinds.kind import Accepted
from hostmuster.secrets.store import Store
from hostmuster.secrets.tampering import Tampered
from hostmuster.secrets.value import Secret

from .conftest import Edit, Operator


def sealed(store: Store, name: str) -> str:
    found = re.search(
        rf"^    {name}:\n(?:        \w+_unencrypted: .*\n)*        value: (.*)$", store.path.read_text(), re.M
    )
    assert found
    return found[1]


def line_of(store: Store, text: str) -> int:
    return store.path.read_text().split(text)[0].count("\n") + 1


def findings(store: Store) -> list[str]:
    with pytest.raises(Tampered) as caught:
        Store.read(store.path).value("ssh-ca")  # any value: a file that was tampered with gives none
    assert caught.value.exit_code == 3
    return [f"{problem.where} {problem.what}" for problem in caught.value.problems]


def test_a_value_moved_to_another_name_is_named_with_where_it_came_from(store: Store, edit: Edit) -> None:
    moved = sealed(store, "db-password")
    edit(sealed(store, "api-token"), moved)
    (found,) = findings(store)
    assert "api-token: this value was moved here from db-password" in found
    assert f"{store.path}:" in found


def test_two_values_exchanged_are_both_named(store: Store) -> None:
    one, other = sealed(store, "db-password"), sealed(store, "api-token")
    text = store.path.read_text().replace(one, "HERE").replace(other, one).replace("HERE", other)
    store.path.write_text(text)
    assert len(findings(store)) == 2


def test_the_value_of_a_removed_secret_is_recognised_under_another_name(store: Store, edit: Edit) -> None:
    value = sealed(store, "db-password")
    edit(f"    db-password:\n        kind_unencrypted: opaque\n        value: {value}\n", "")
    edit(sealed(store, "api-token"), value)
    assert any("api-token: this value was moved here from db-password" in found for found in findings(store))


def test_a_removed_secret_is_named(store: Store, edit: Edit) -> None:
    edit(f"    db-password:\n        kind_unencrypted: opaque\n        value: {sealed(store, 'db-password')}\n", "")
    (found,) = findings(store)
    assert "`db-password` was removed" in found


def test_a_renamed_secret_is_named_under_both_names(store: Store, edit: Edit) -> None:
    edit("    db-password:\n", "    db-passwort:\n")
    (found,) = findings(store)
    assert "db-passwort: this value was moved here from db-password" in found


def test_one_changed_character_is_named_with_its_line(store: Store, edit: Edit) -> None:
    value = sealed(store, "api-token")
    changed = value.replace("data:", "data:A", 1).replace("=,iv", ",iv", 1)
    edit(value, changed)
    (found,) = findings(store)
    assert f"{store.path}:{line_of(store, changed)} api-token: " in found


def test_a_value_cut_short_is_named(store: Store, edit: Edit) -> None:
    value = sealed(store, "api-token")
    edit(value, value[:40])
    assert "api-token: the encrypted value is cut short" in findings(store)[0]


def test_a_value_in_clear_is_named_and_not_quoted(store: Store, edit: Edit) -> None:
    edit(sealed(store, "api-token"), "battery staple")
    (found,) = findings(store)
    assert "api-token: the value stands here in clear" in found
    assert "battery" not in found


def test_a_value_of_another_store_is_named(store: Store, edit: Edit) -> None:
    other = store.path.with_name("other.yml")
    first = {"api-token": (KINDS["opaque"], Accepted(Secret("theirs"), None))}
    edit(sealed(store, "api-token"), sealed(Store.create(other, store.recipients, first), "api-token"))
    assert "comes from another file" in findings(store)[0]


def test_an_exchanged_operators_key_is_named_by_its_line(store: Store, edit: Edit) -> None:
    theirs, ours = sshkeys.generate("mallory")[1], sshkeys.generate("alice")[1]
    store = store.set("operator/alice", Secret(ours))
    edit(f'public_unencrypted: "{ours}"', f'public_unencrypted: "{theirs}"')
    assert "MAC is wrong" in findings(store)[0]


def test_an_operators_key_exchanged_with_the_sops_tool_is_named_too(store: Store, operator: Operator) -> None:
    """Whoever can write the store could do so; half a change is an accident all the same."""
    theirs, ours = sshkeys.generate("mallory")[1], sshkeys.generate("alice")[1]
    store = store.set("operator/alice", Secret(ours))
    index = '["secrets"]["operator/alice"]["public_unencrypted"]'
    assert operator.sops("set", str(store.path), index, f'"{theirs}"').returncode == 0
    assert "operator/alice: the public part is not that of its value" in findings(store)[0]


def test_a_changed_kind_is_noticed(store: Store, edit: Edit) -> None:
    edit("kind_unencrypted: opaque", "kind_unencrypted: ssh-key")
    assert "a kind" in findings(store)[0]


def test_an_older_value_put_back_is_noticed(store: Store, edit: Edit) -> None:
    old = sealed(store, "db-password")
    store.set("db-password", Secret("a newer password"))
    edit(sealed(store, "db-password"), old)
    assert "an older value was put back" in findings(store)[0]


def test_a_changed_date_is_noticed(store: Store, edit: Edit) -> None:
    edit('lastmodified: "2', 'lastmodified: "3')
    assert "`lastmodified` do not belong together" in findings(store)[0]


def test_nothing_is_set_in_a_store_that_was_tampered_with(store: Store, edit: Edit) -> None:
    edit(sealed(store, "api-token"), sealed(store, "db-password"))
    before = store.path.read_bytes()
    with pytest.raises(Tampered):
        Store.read(store.path).set("another", Secret("a value"))
    assert store.path.read_bytes() == before


def test_merge_conflict_markers_are_named_with_their_line(store: Store, edit: Edit) -> None:
    edit("sops:\n", "<<<<<<< HEAD\nsops:\n=======\nsops:\n>>>>>>> theirs\n")
    with pytest.raises(InputError, match=f":{line_of(store, '<<<<<<<')}: git's merge conflict markers"):
        Store.read(store.path)
