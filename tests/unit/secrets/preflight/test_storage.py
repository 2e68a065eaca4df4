"""Object storage and Redis, as replicas share them."""

from __future__ import annotations

import pytest

from hostmuster.secrets.preflight.stored import Stored
from hostmuster.secrets.preflight.table import table

from .replicas import GOOD, KINDS, WHOLE, missing, of

VOLUME = {name: value for name, value in GOOD.items() if not name.startswith("S3_")} | {
    "ASSET_STORAGE_DRIVER": "local",
    "OBJECT_STORAGE_SHARED_VOLUME": "true",
}


def test_a_shared_volume_is_taken_when_it_is_declared_so_and_where_it_is() -> None:
    assert missing(table(of(VOLUME, VOLUME, volume="/srv/artefacts"), WHOLE)) == []
    (first, _) = missing(table(of(VOLUME, VOLUME), WHOLE))
    assert first == (
        "object storage: server-1, OBJECT_STORAGE_SHARED_VOLUME (inventory/lab.yml:7): "
        "a shared volume, and nobody says which folder that is: it cannot be shown"
    )


def test_s3_without_a_place_is_named() -> None:
    nowhere = {name: value for name, value in GOOD.items() if not name.startswith("S3_")}
    assert any("no S3_* says where" in line for line in missing(table(of(nowhere, nowhere), WHOLE)))


@pytest.mark.parametrize(
    ("kind", "said"), [("redis-url", None), ("opaque", "not of kind redis-url"), (None, "not of kind redis-url")]
)
def test_a_redis_url_may_be_given_from_a_secret_of_its_kind(kind: str | None, said: str | None) -> None:
    bare = {name: value for name, value in GOOD.items() if name != "REDIS_URL"}
    kinds = KINDS | ({"shared-redis": kind} if kind else {})
    found = missing(table(of(bare, bare, given={"REDIS_URL": "shared-redis"}), Stored(kinds)))
    assert [line for line in found if said is None or said not in line] == []
    assert bool(found) is (said is not None)


def test_a_redis_url_that_nobody_declares_is_missed_on_each_replica() -> None:
    bare = {name: value for name, value in GOOD.items() if name != "REDIS_URL"}
    assert missing(table(of(bare, bare), WHOLE)) == [
        f"Redis: server-{number}, REDIS_URL: not set: each process would count for itself" for number in (1, 2)
    ]
