"""Replicas of which each has what it must have in common with the others, and the table about them."""

from __future__ import annotations

from collections.abc import Iterable

from hostmuster.secrets.preflight.environment import Environment
from hostmuster.secrets.preflight.finding import Finding
from hostmuster.secrets.preflight.stored import Stored

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
