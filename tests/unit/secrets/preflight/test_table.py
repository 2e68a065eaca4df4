"""The table of K1: what several replicas must have in common, told by replica and line."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from hostmuster.secrets.preflight.stored import Stored
from hostmuster.secrets.preflight.table import in_the_way, table

from .replicas import GOOD, KINDS, WHOLE, missing, of


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
