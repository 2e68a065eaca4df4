"""What readers of secrets make of the workload: packages, places of credentials, a renderer; its effects can fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from jwt.algorithms import RSAAlgorithm

from deploys.items import units
from hostmuster.errors import InputError
from hostmuster.item import Answer, Effect
from hostmuster.secrets import rsa_key
from hostmuster.secrets.ring import Ring, RingKey
from tests.items.project import compiled, fleet, resource

RING = Ring(RingKey("key-2", rsa_key.generate()), previous=(RingKey("key-1", rsa_key.generate()),))
LINE = "ring signing " + " ".join(f"{key.kid}/{key.thumbprint[:12]}" for key in RING.keys)
READERS: dict[str, Any] = {
    "api": {
        "unit": "workload.service",
        "env": {"RUNTIME_RSA_KEY_ID": "signing#kid", "DATABASE_URL": "database-url"},
        "files": {"signing-key": "signing#private_key"},
    },
    "renderer": {"unit": "workload-renderer.service", "files": {"render-credential": "render"}},
}
BACKEND: dict[str, Any] = {
    "units": {"workload": {"token_s": 10, "renderer": 8090}},
    "secrets": {"readers": READERS},
}
PLAIN: dict[str, Any] = {"units": {"workload": {}}}


def packages(part: Any) -> set[str]:
    return {one.name for one in part.resources if one.id.startswith("package ")}


def test_a_workload_that_reads_no_secrets_needs_nothing_more(tmp_path: Path) -> None:
    part = compiled(tmp_path, "units", PLAIN)
    assert packages(part) == {"python3", "curl"}
    assert b"StateDirectory" not in resource(part, "file /etc/systemd/system/workload.service").content
    assert not any("workload-renderer" in one.id for one in part.resources)


def test_its_packages_and_the_places_of_its_keys_follow_from_what_it_reads(tmp_path: Path) -> None:
    part = compiled(tmp_path, "units", BACKEND)
    assert packages(part) == {"python3", "curl", "python3-jwt", "python3-cryptography", "python3-psycopg"}
    told = resource(part, "file /etc/default/workload").content.decode().splitlines()
    assert 'RUNTIME_RSA_PRIVATE_KEY_FILE="%d/signing-key"' in told
    assert 'WORKLOAD_TOKEN_S="10"' in told
    assert 'WORKLOAD_DATA="/var/lib/workload"' in told
    assert b"\nStateDirectory=workload\n" in resource(part, "file /etc/systemd/system/workload.service").content


def test_the_renderer_is_a_service_of_its_own_with_the_credential_alone(tmp_path: Path) -> None:
    part = compiled(tmp_path, "units", BACKEND)
    told = resource(part, "file /etc/default/workload-renderer").content.decode()
    assert 'WORKLOAD_PORT="8090"' in told
    assert 'RENDER_SERVICE_CREDENTIAL_FILE="%d/render-credential"' in told
    assert "RSA" not in told
    body = resource(part, "file /etc/systemd/system/workload-renderer.service").content.decode()
    assert "ExecStart=/usr/bin/python3 -I -B /opt/workload renderer\n" in body


def test_an_env_file_cannot_say_where_a_credential_lies(tmp_path: Path) -> None:
    own = {
        "path": "/etc/workload/own.env",
        "consumer": "systemd",
        "restarts": ["workload.service"],
        "values": {"RUNTIME_RSA_PRIVATE_KEY_FILE": "/srv/key"},
    }
    with pytest.raises(InputError, match="env_files sets RUNTIME_RSA_PRIVATE_KEY_FILE"):
        compiled(tmp_path, "units", BACKEND | {"env_files": {"files": {"own": own}}})


def test_one_port_for_both_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the renderer's port 8080 is the workload's"):
        fleet(tmp_path, {"units": {"workload": {"renderer": 8080}}})


def effect(folder: Path, words: str) -> Effect:
    (found,) = [one for one in units.effects(fleet(folder, BACKEND).hosts["server-1"]) if words in one.name]
    return found


def jwks(*keys: RingKey) -> str:
    """As the workload publishes them."""
    return json.dumps({"keys": [jwk(key) for key in keys]})


def jwk(key: RingKey) -> dict[str, Any]:
    private = load_pem_private_key(key.private.reveal(), None)
    assert isinstance(private, RSAPrivateKey)
    return {**RSAAlgorithm.to_jwk(private.public_key(), as_dict=True), "kid": key.kid}


def test_the_keys_that_are_published_are_the_generations_by_thumbprint(tmp_path: Path) -> None:
    shown = effect(tmp_path, "has the keys of signing")
    current, previous = RING.keys

    def seen(said: str, line: str = LINE) -> bool | None:
        return shown.judge(Answer(0, f"{line}\n{said}")).ok

    assert seen(jwks(current, previous))
    assert not seen(jwks(current))
    assert not seen(jwks(current, RingKey("key-1", rsa_key.generate())))
    assert not seen(jwks(current, previous, RingKey("key-3", rsa_key.generate())))
    assert not seen('{"error": "not found"}')
    assert not shown.judge(Answer(1, "")).ok


def test_a_token_is_to_be_signed_by_the_key_that_signs_and_taken(tmp_path: Path) -> None:
    shown = effect(tmp_path, "signs with signing and verifies it")

    def seen(said: dict[str, object]) -> bool | None:
        return shown.judge(Answer(0, f"{LINE}\n{json.dumps(said)}")).ok

    assert seen({"valid": True, "kid": "key-2", "signed_by": "server-1"})
    assert not seen({"valid": True, "kid": "key-1", "signed_by": "server-1"})
    assert not seen({"valid": False, "error": "unknown kid"})
    assert not seen({"error": "not found"})
    assert shown.of_service
