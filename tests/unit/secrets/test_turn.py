"""A ring is turned in the store: keys come, change their use and go, and the file stays whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hostmuster.secrets import ring_text, rsa_key
from hostmuster.secrets.founding import found_store
from hostmuster.secrets.kinds.catalogue import KINDS
from hostmuster.secrets.ring import Ring, RingKey
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """With a ring of one key between other secrets."""
    monkeypatch.setenv("HOME", str(tmp_path))
    path = tmp_path / "secrets" / "lab.yml"
    found_store(path, "lab", (), {"HOME": str(tmp_path)}, tmp_path)
    made = KINDS["rsa-signing-ring"].generate
    assert made is not None
    stored = Store.read(path).set("signing", made("signing"), "rsa-signing-ring")
    return stored.set("after", Secret("a secret that stands after it"))


def turned(store: Store, change: Callable[[Ring], Ring]) -> Store:
    return store.turn("signing", lambda value: ring_text.written(change(ring_text.parsed(value.text(), "ring"))))


def kids(store: Store) -> dict[str, str]:
    """By kid, what the key is for, as the file says it in clear."""
    return dict(store.entries["signing"].uses)


def test_a_whole_turn_leaves_the_new_key_alone_and_every_other_secret_as_it_was(store: Store) -> None:
    others = {name: store.value(name) for name in store.names() if name != "signing"}
    key = RingKey("signing-2", rsa_key.generate())
    now = turned(store, lambda ring: ring.published(key))
    assert kids(now) == {"signing-1": "current", "signing-2": "next"}
    now = turned(now, Ring.promoted)
    assert kids(now) == {"signing-1": "previous", "signing-2": "current"}
    now = turned(now, Ring.retired)
    assert kids(now) == {"signing-2": "current"}
    again = Store.read(now.path)
    again.verify()
    assert ring_text.parsed(again.value("signing").text(), "ring").current.private == key.private
    assert {name: again.value(name) for name in others} == others


def test_a_comment_beside_a_key_that_goes_takes_nothing_else_along(store: Store) -> None:
    text = store.path.read_text()
    store.path.write_text(text.replace("    after:", "    # the next one\n    after:"))
    now = turned(
        Store.read(store.path), lambda ring: ring.published(RingKey("signing-2", rsa_key.generate())).promoted()
    )
    now = turned(now, Ring.retired)
    now.verify()
    assert "# the next one\n" in now.path.read_text()
