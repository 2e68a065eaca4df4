"""What several replicas have to share, at a replica's own start (K1): all of it, or it names all that is missing."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from tests.unit.workload.process import environment, running, start_with

Pems = tuple[str, str, str]
SECRET = "s3-secret-access-key"


def shared(pems: Pems) -> dict[str, str]:
    """One of several, with all that they share."""
    return {
        "BACKEND_MULTI_INSTANCE": "true",
        "RUNTIME_RSA_PRIVATE_KEY": pems[0],
        "AI_SECRET_ENCRYPTION_KEY": Fernet.generate_key().decode(),
        "RENDER_SERVICE_CREDENTIAL": secrets.token_urlsafe(32),
        "ASSET_STORAGE_DRIVER": "s3",
        "S3_SECRET_ACCESS_KEY": SECRET,
        "REDIS_URL": f"rediss://:{SECRET}@redis.example.net:6379/0",
    }


def test_with_all_of_it_a_replica_starts(opt: Path, pems: Pems) -> None:
    with running(opt, **shared(pems)) as one:
        assert one.ask("/token")[0] == 200


def test_with_nothing_it_names_each_line_of_the_table(opt: Path) -> None:
    code, told = start_with(opt, environment(8080, BACKEND_MULTI_INSTANCE="true", RUNTIME_RSA_KEY_ID="key-1"))
    assert code == 78
    named = sorted(line.split()[0].rstrip(",") for line in told.splitlines())
    assert named == [
        "AI_SECRET_ENCRYPTION_KEY",
        "ASSET_STORAGE_DRIVER",
        "REDIS_URL",
        "RENDER_SERVICE_CREDENTIAL",
        "RUNTIME_RSA_PRIVATE_KEY",
    ]


MISSES: dict[str, dict[str, str | None]] = {
    "RUNTIME_RSA_PRIVATE_KEY is not set": {"RUNTIME_RSA_PRIVATE_KEY": None},
    "RUNTIME_RSA_ALLOW_AUTO_GENERATE is on": {"RUNTIME_RSA_ALLOW_AUTO_GENERATE": "true"},
    "RUNTIME_RSA_PRIVATE_KEY shadows": {"RUNTIME_RSA_PRIVATE_KEY_FILE": "/run/key"},
    "AI_SECRET_ENCRYPTION_KEY is not set": {"AI_SECRET_ENCRYPTION_KEY": None},
    "AI_SECRET_ENCRYPTION_KEY is not valid: 32 bytes": {"AI_SECRET_ENCRYPTION_KEY": "changeme"},
    "AI_SECRET_ENCRYPTION_KEY is not valid: a placeholder": {"AI_SECRET_ENCRYPTION_KEY": f"{'A' * 43}="},
    "RENDER_SERVICE_CREDENTIAL is not set": {"RENDER_SERVICE_CREDENTIAL": None},
    "RENDER_SERVICE_CREDENTIAL is not valid: a placeholder": {"RENDER_SERVICE_CREDENTIAL": f"changeme-{'x1y2z' * 9}"},
    "RENDER_SERVICE_CREDENTIAL is not valid: weak": {"RENDER_SERVICE_CREDENTIAL": "short-47"},
    "ASSET_STORAGE_DRIVER is no storage": {
        "ASSET_STORAGE_DRIVER": "memory://lite",
        "OBJECT_STORAGE_SHARED_VOLUME": "1",
    },
    "ASSET_STORAGE_DRIVER is no storage that": {"ASSET_STORAGE_DRIVER": "local"},
    "ASSET_STORAGE_DRIVER is s3, and": {"S3_SECRET_ACCESS_KEY": None},
    "REDIS_URL is not set": {"REDIS_URL": None},
    "REDIS_URL is not valid": {"REDIS_URL": "memory://"},
    "DATABASE_URL is SQLite": {"DATABASE_URL": "sqlite:////tmp/rows.db"},
    "python3-psycopg is not installed": {"DATABASE_URL": "postgresql://app:s3-secret@db/app"},
    "BACKEND_MULTI_INSTANCE is not valid": {"BACKEND_MULTI_INSTANCE": "ture"},
}


@pytest.mark.parametrize("said", MISSES)
def test_one_miss_is_enough(opt: Path, pems: Pems, said: str) -> None:
    given = {name: value for name, value in (shared(pems) | MISSES[said]).items() if value is not None}
    code, told = start_with(opt, environment(8080, **given))
    assert code == 78
    assert said in told
    assert len(told.splitlines()) == 1
    assert not any(
        value in told for name, value in given.items() if name != "BACKEND_MULTI_INSTANCE" and len(value) > 7
    )


@pytest.mark.parametrize("name", ["WEB_CONCURRENCY", "UVICORN_WORKERS"])
def test_several_processes_of_one_host_share_the_same(opt: Path, pems: Pems, name: str) -> None:
    alone = {"RUNTIME_RSA_PRIVATE_KEY": pems[0]}
    with running(opt, **alone, **{name: "1"}):
        pass
    code, told = start_with(opt, environment(8080, **alone, **{name: "2"}))
    assert code == 78
    assert "REDIS_URL is not set" in told


def test_a_volume_that_is_declared_to_be_shared_is_taken(opt: Path, pems: Pems) -> None:
    volume = {"ASSET_STORAGE_DRIVER": "local", "OBJECT_STORAGE_SHARED_VOLUME": "true"}
    with running(opt, **shared(pems) | volume):
        pass


def test_where_nothing_is_configured_there_is_nothing_to_share(opt: Path) -> None:
    with running(opt, BACKEND_MULTI_INSTANCE="true", LOG_LEVEL="info") as one:
        assert one.ask("/token")[0] == 404
