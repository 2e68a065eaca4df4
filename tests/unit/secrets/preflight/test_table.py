"""The table of K1: what several replicas must have in common, told by replica and line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

import pytest

from hostmuster.secrets.kinds.opaque import generate
from hostmuster.secrets.preflight.environment import Environment
from hostmuster.secrets.preflight.finding import Finding
from hostmuster.secrets.preflight.stored import Stored
from hostmuster.secrets.preflight.table import in_the_way, table
from hostmuster.secrets.store import Store

from ..conftest import Operator

GOOD = {
    "BACKEND_MULTI_INSTANCE": "true",
    "ASSET_STORAGE_DRIVER": "s3",
    "S3_BUCKET": "artefacts",
    "S3_ENDPOINT": "https://s3.example.net",
    "REDIS_URL": "rediss://redis.example.net:6380/0",
}
KINDS = {"token-key": "rsa-signing-ring", "ai-key": "fernet", "renderer": "shared-credential"}
WHOLE = Stored(KINDS)


def of(
    *values: dict[str, str],
    given: dict[str, str] | None = None,
    secrets: Iterable[str] = KINDS,
    volume: str | None = None,
) -> dict[str, list[Environment]]:
    return {
        "service": [
            Environment(
                f"server-{number}",
                found,
                lambda variable: "inventory/lab.yml:7",
                given or {},
                frozenset(secrets),
                volume=volume,
            )
            for number, found in enumerate(values, 1)
        ]
    }


def missing(findings: list[Finding]) -> list[str]:
    return [f"{found.line}: {found.problem.where}: {found.problem.what}" for found in findings if found.problem]


def test_a_fleet_that_has_all_in_common_lacks_nothing() -> None:
    findings = table(of(GOOD, GOOD), WHOLE)
    assert missing(findings) == []
    assert {found.line for found in findings} == {
        "signing key", "Fernet key", "renderer credential", "object storage", "Redis"
    }  # fmt: skip


@pytest.mark.parametrize(
    "several", [{"WEB_CONCURRENCY": "2"}, {"UVICORN_WORKERS": "4"}, {"BACKEND_MULTI_INSTANCE": "True"}]
)
def test_several_workers_of_one_host_are_several_replicas(several: dict[str, str]) -> None:
    assert "signing key: the store: no secret of kind rsa-signing-ring" in missing(table(of(several), Stored({})))


@pytest.mark.parametrize("single", [{}, {"BACKEND_MULTI_INSTANCE": "false"}, {"WEB_CONCURRENCY": "1"}])
def test_a_single_process_may_do_as_it_likes(single: dict[str, str]) -> None:
    assert missing(table(of(single), Stored({}))) == []


BAD: dict[str, tuple[dict[str, str], str]] = {
    "keys made by each": ({"RUNTIME_RSA_ALLOW_AUTO_GENERATE": "true"}, "a signing key of its own"),
    "an inline key beside the file": (
        {"RUNTIME_RSA_PRIVATE_KEY": "-----BEGIN", "RUNTIME_RSA_PRIVATE_KEY_FILE": "/run/key"},
        "it shadows RUNTIME_RSA_PRIVATE_KEY_FILE",
    ),
    "a key in clear": ({"RUNTIME_RSA_PRIVATE_KEY": "-----BEGIN"}, "a secret in clear"),
    "a Fernet key in clear": ({"AI_SECRET_ENCRYPTION_KEY": "abc"}, "a secret in clear"),
    "a credential in clear": ({"RENDER_SERVICE_CREDENTIAL": "abc"}, "a secret in clear"),
    "a storage's secret in clear": ({"S3_SECRET_ACCESS_KEY": "abc"}, "a secret in clear"),
    "a password in the URL": ({"REDIS_URL": "redis://:hunter@h:6379"}, "a password in clear"),
    "an empty list of keys": ({"RUNTIME_RSA_PREVIOUS_KEYS": ""}, "empty text where JSON is expected"),
    "null for a list": ({"RUNTIME_RSA_PREVIOUS_KEYS": "null"}, "not a list of keys"),
    "a kid twice": (
        {"RUNTIME_RSA_PREVIOUS_KEYS": json.dumps([{"kid": "a", "private_key_file": "x"}] * 2)},
        "one kid stands there twice",
    ),
    "the current kid among the previous": (
        {"RUNTIME_RSA_KEY_ID": "a", "RUNTIME_RSA_PREVIOUS_KEYS": '[{"kid": "a", "private_key_file": "x"}]'},
        "refuses to start",
    ),
    "a previous key in clear": (
        {"RUNTIME_RSA_PREVIOUS_KEYS": '[{"kid": "a", "private_key": "-----BEGIN"}]'},
        "a secret in clear",
    ),
    "no storage": ({"ASSET_STORAGE_DRIVER": ""}, "not set: files stay"),
    "a local storage": ({"ASSET_STORAGE_DRIVER": "local"}, "not declared to be shared"),
    "a storage in memory": ({"ASSET_STORAGE_DRIVER": "memory://lite"}, "one process's memory"),
    "a Redis in memory": ({"REDIS_URL": "memory://"}, "counts in each process"),
    "a number that is none": ({"WEB_CONCURRENCY": "auto"}, "not a whole number"),
    "a switch that is none": ({"BACKEND_MULTI_INSTANCE": "ture"}, "neither true nor false"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_replicas_must_not_have_is_named_with_host_variable_and_line(case: str) -> None:
    changes, said = BAD[case]
    found = [line for line in missing(table(of(GOOD | changes, GOOD | changes), WHOLE)) if said in line]
    assert found
    assert any(f"server-1, {variable} (inventory/lab.yml:7): " in line for variable in changes for line in found)
    assert "hunter" not in str(found)


@pytest.mark.parametrize("variable", ["S3_BUCKET", "S3_ENDPOINT", "REDIS_URL", "ASSET_STORAGE_DRIVER"])
def test_what_is_not_the_same_everywhere_is_told_against_the_first(variable: str) -> None:
    other = GOOD | {variable: GOOD[variable] + "x"}
    assert any(
        f"server-2, {variable} (inventory/lab.yml:7): not what it is on server-1" in line
        for line in missing(table(of(GOOD, other), WHOLE))
    )
    without = {name: value for name, value in GOOD.items() if name != variable}
    assert any(f"server-2, {variable}: not set" in line for line in missing(table(of(GOOD, without), WHOLE)))


def test_one_of_several_that_takes_itself_for_the_only_one_is_named() -> None:
    alone = GOOD | {"BACKEND_MULTI_INSTANCE": "false"}
    (found,) = missing(table(of(GOOD, alone), WHOLE))
    assert found.startswith("replicas: server-2, BACKEND_MULTI_INSTANCE (inventory/lab.yml:7): not true, on one of 2")
    assert len(missing(table(of(alone, alone), WHOLE))) == 2


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


def test_each_miss_is_told_of_the_replica_that_has_it() -> None:
    findings = table(of(GOOD, GOOD | {"ASSET_STORAGE_DRIVER": "memory://lite"}), WHOLE)
    assert {found.host for found in findings if found.problem} == {"server-2"}
    assert {found.host for found in table(of(GOOD, GOOD), Stored({})) if found.problem} == {""}


def test_what_shares_nothing_but_the_word_that_it_is_several_is_told_and_keeps_no_change_off() -> None:
    word = {"BACKEND_MULTI_INSTANCE": "true", "LOG_LEVEL": "info"}
    assert missing(table(of(word, word, secrets=()), Stored({})))
    assert in_the_way(of(word, word, secrets=()), Stored({})) == []
    assert in_the_way(of(word, word, secrets=["api-token"]), Stored({"api-token": "opaque"})) == []


@pytest.mark.parametrize("secrets", [(), KINDS])
def test_what_shares_anything_needs_all_of_it_before_it_is_changed(secrets: Iterable[str]) -> None:
    some = {"BACKEND_MULTI_INSTANCE": "true", **({} if secrets else {"S3_BUCKET": "artefacts"})}
    assert {problem.where for problem in in_the_way(of(some, some, secrets=secrets), WHOLE)} >= {"server-2, REDIS_URL"}
    assert in_the_way(of(GOOD, GOOD), WHOLE) == []


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


def test_a_replica_that_is_given_no_key_or_another_one_is_named() -> None:
    replicas = of(GOOD, GOOD)["service"]
    unread = {"service": [replicas[0], replace(replicas[1], secrets=frozenset({"ai-key", "renderer"}))]}
    assert missing(table(unread, WHOLE)) == ["signing key: server-2: no reader gives it token-key"]
    other = {"service": [replicas[0], replace(replicas[1], secrets=frozenset({"old-key", "ai-key", "renderer"}))]}
    assert missing(table(other, Stored(KINDS | {"old-key": "rsa-signing-ring"}))) == [
        "signing key: server-2: given old-key, unlike server-1"
    ]


def test_a_key_given_inline_beside_a_file_shadows_it() -> None:
    both = GOOD | {"RUNTIME_RSA_PRIVATE_KEY_FILE": "/run/credentials/service/key"}
    found = missing(table(of(both, both, given={"RUNTIME_RSA_PRIVATE_KEY": "token-key#private_key"}), WHOLE))
    assert "it shadows RUNTIME_RSA_PRIVATE_KEY_FILE" in found[0]


def test_a_weak_value_that_the_sops_tool_let_in_is_named(operator: Operator, store: Store) -> None:
    store = store.set("renderer", generate("renderer"), "shared-credential")
    index = '["secrets"]["renderer"]["value"]'
    assert operator.sops("set", str(store.path), index, '"changeme"').returncode == 0
    (problem,) = Stored.of(Store.read(store.path)).problems
    assert (problem.where, problem.what) == ("renderer", "a placeholder or default of a sample file")
