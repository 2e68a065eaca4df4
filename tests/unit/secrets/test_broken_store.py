"""A store that is broken, or none, is refused with its line before anything of it is used."""

from __future__ import annotations

import re

import pytest

from hostmuster.errors import InputError
from hostmuster.secrets.store import Store

from .conftest import Edit


@pytest.mark.parametrize("share", [n / 40 for n in range(40)])
def test_a_file_truncated_anywhere_is_refused_with_a_remedy(store: Store, share: float) -> None:
    text = store.path.read_text()
    store.path.write_text(text[: int(len(text) * share)])
    with pytest.raises(InputError) as caught:
        Store.read(store.path).verify()
    assert all(problem.remedy for problem in caught.value.problems)
    assert re.search("truncated|cut short|no age recipient|mapping", str(caught.value))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    api-token:\n", "    db-password:\n", "stands twice"),
        ("    api-token:\n", "    api_token:\n", "not a name for a secret"),
        ("    api-token:\n", "    api-token_unencrypted:\n", "not a name for a secret"),
        ("secrets:\n", "secrets: &all\n", "alias, anchor or tag"),
        ("kind_unencrypted: opaque", "kind_unencrypted: *kind", "alias, anchor or tag"),
        ("kind_unencrypted: opaque", "kind_unencrypted: !!str opaque", "alias, anchor or tag"),
        ("kind_unencrypted: opaque", "kind_unencrypted: fresh", "unknown kind `fresh`"),
        ("kind_unencrypted: opaque", "kind: opaque", "unknown key `kind`"),
        ("format_unencrypted: 1", "---\nformat_unencrypted: 1\n---\nx: 1", "second YAML document"),
        ("secrets:\n", "secrets:\n\tx: 1\n", "not readable as YAML"),
        ("sops:\n", "soaps:\n", "no `sops` section"),
        ("    age:\n", "    pgp:\n", "no age recipient"),
        ("    age:\n", "    shamir_threshold: 2\n    age:\n", "`shamir_threshold` is not supported"),
    ],
)
def test_a_broken_file_is_refused_before_anything_is_read(
    store: Store, edit: Edit, old: str, new: str, said: str
) -> None:
    edit(old, new)
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        Store.read(store.path)
    assert re.match(rf"{re.escape(str(store.path))}:\d+: ", str(caught.value))


def test_every_mistake_is_named_at_once(store: Store, edit: Edit) -> None:
    edit("    api-token:\n", "    api_token:\n")
    edit("    db-password:\n", "    db_password:\n")
    with pytest.raises(InputError) as caught:
        Store.read(store.path)
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"x: \xe9\n", b"[1, 2]", b"just text", b"a" * (5 * 1024 * 1024)])
def test_a_file_that_is_no_store_is_refused(store: Store, content: bytes) -> None:
    store.path.write_bytes(content)
    with pytest.raises(InputError):
        Store.read(store.path)


def test_a_store_of_a_newer_hostmuster_is_refused_by_name(store: Store, edit: Edit) -> None:
    edit("format_unencrypted: 1", "format_unencrypted: 3")
    with pytest.raises(Exception, match="format is 3, this hostmuster knows 1 and 2"):
        Store.read(store.path)
