"""What a host knew: values of the store in its files, and keys that were made there; by name, never by value."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.exposure import exposed, holds_secret
from hostmuster.engine.leaving import secrets
from hostmuster.engine.staging import GENERATIONS
from hostmuster.item import Item
from hostmuster.resources.absent import Absent
from hostmuster.resources.file import File
from hostmuster.resources.secret_file import SecretFile
from hostmuster.resources.ssh_key import SshKey
from hostmuster.secrets.founding import found_store
from hostmuster.secrets.sealed import Sealed
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret

VALUE = "correct-horse-battery"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """With one value of an item's."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SOPS_AGE_KEY_FILE", raising=False)
    founded = found_store(tmp_path / "secrets" / "unit.yml", "unit", [], {"HOME": str(tmp_path)}, tmp_path).store
    return founded.set("db-password", Secret(VALUE.encode())).set("alerts", Secret(b"https://alerts.example/x"))


def on_host(store: Store) -> tuple[Compiled, ...]:
    alerts = Sealed("alerts", partial(store.value, "alerts"), partial(store.fingerprint, "alerts"))
    resources = (
        File("/etc/app.conf", f"password={VALUE}\n".encode()),
        File("/etc/app.env", b"LEVEL=info\n", "0600"),
        File("/etc/motd", b"hello\n"),
        SecretFile("/etc/url", alerts, begins="https://alerts.example"),
        SshKey("/etc/id", "unit:service@a"),
        SshKey("/etc/host_key", "root@a", make=False),
    )
    return (Compiled(Item("app"), "", resources, ()),)


def test_every_secret_is_listed_with_its_kind_its_place_and_what_to_do(store: Store) -> None:
    known = exposed(on_host(store), store)
    assert [(one.secret, one.kind, one.where) for one in known] == [
        ("db-password", "opaque", "file /etc/app.conf"),
        ("alerts", "opaque", "secret file /etc/url"),
        ("unit:service@a", "made there", "ssh key /etc/id"),
    ]
    assert known[0].remedy == "hostmuster secrets.set db-password, then hostmuster apply"
    assert VALUE not in repr(known)


def test_what_only_the_host_may_read_is_removed_from_one_that_leaves_and_nothing_else(store: Store) -> None:
    part = secrets(on_host(store), store.confidential())
    paths = [one.path for one in part.resources if isinstance(one, Absent)]
    assert paths == ["/etc/app.conf", "/etc/app.env", "/etc/url", "/etc/id", "/etc/id.pub", GENERATIONS]
    assert not any(one.keep for one in part.resources if isinstance(one, Absent)), "no copy of a secret is kept"
    assert not holds_secret(File("/etc/motd", b"hello\n"), store.confidential())
