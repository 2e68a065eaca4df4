"""secrets.check as typed, on a fleet whose hosts nobody asks; and what it keeps other commands from."""

from __future__ import annotations

import json

import pytest

from hostmuster.secrets.kinds import fernet, rsa_signing_ring
from hostmuster.secrets.kinds.opaque import generate
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret

from ..conftest import ROOT, Operator

FLEET = """\
fleet: lab
settings:
  env_files:
    files:
      service:
        path: /etc/service/env
        consumer: systemd
        restarts: [api.service]
        values: {BACKEND_MULTI_INSTANCE: true, ASSET_STORAGE_DRIVER: s3, S3_BUCKET: artefacts,
                 PROJECT_BUILD_TOTAL_DEADLINE_SECONDS: 7200}
  secrets:
    readers:
      api:
        unit: api.service
        env: {REDIS_URL: shared-redis, AI_SECRET_ENCRYPTION_KEY: ai-key, RENDER_SERVICE_CREDENTIAL: renderer}
        files: {key: token-key#private_key}
  clock: {servers: [ntp.example.net]}
  units: {workload: {port: 8080, drain_s: 5, stop_s: 10}}
roles: {server: {}}
hosts:
  server-1: {address: 192.0.2.11, debian: 12, roles: [server]}
  server-2:
    address: 192.0.2.12
    debian: 12
    roles: [server]
    settings: {env_files: {files: {service: {values: {S3_BUCKET: other}}}}}
"""


def test_the_command_names_replica_line_and_remedy_and_ends_with_3_until_all_is_there(
    operator: Operator, store: Store
) -> None:
    (operator.project / "templates").symlink_to(ROOT / "templates")
    fleet = operator.project / "inventory" / "lab.yml"
    store = store.set("token-key", rsa_signing_ring.generate("token-key"), "rsa-signing-ring")
    store = store.set("renderer", generate("renderer"), "shared-credential")
    store = store.set("shared-redis", Secret("redis://:hJ7wQ2mZ@redis.example.net:6379/0"))
    fleet.write_text(FLEET.replace(" AI_SECRET_ENCRYPTION_KEY: ai-key,", ""))
    refused = operator.run("secrets.check", "--declared")
    assert refused.returncode == 3, refused
    said = refused.stdout.decode()
    line = FLEET[: FLEET.index("S3_BUCKET: other")].count("\n") + 1
    assert f"server-2, S3_BUCKET (inventory/lab.yml:{line}): not what it is on server-1" in said
    assert "the store: no secret of kind fernet\n    secrets.set NAME --kind fernet --generate" in said
    assert "server-1, REDIS_URL: shared-redis is not of kind redis-url" in said
    assert "hJ7wQ2mZ" not in said + refused.stderr.decode()


@pytest.fixture
def whole(operator: Operator, store: Store) -> Operator:
    """Two replicas that declare and store all they share."""
    (operator.project / "templates").symlink_to(ROOT / "templates")
    (operator.project / "inventory" / "lab.yml").write_text(FLEET.replace("S3_BUCKET: other", "S3_BUCKET: artefacts"))
    store = store.set("token-key", rsa_signing_ring.generate("token-key"), "rsa-signing-ring")
    store = store.set("ai-key", fernet.generate("ai-key"), "fernet")
    store = store.set("renderer", generate("renderer"), "shared-credential")
    store.set("shared-redis", Secret("redis://:hJ7wQ2mZ@redis.example.net:6379/0"), "redis-url")
    return operator


def test_what_is_declared_right_is_told_with_what_nobody_looked_at(whole: Operator) -> None:
    fleet = whole.project / "inventory" / "lab.yml"
    fleet.write_text(fleet.read_text().replace("fleet: lab\n", "fleet: lab\nlab: true\n"))  # one that is down
    held = whole.run("secrets.check", "--declared")
    assert held.returncode == 0, held.stderr
    shown = held.stdout.decode()
    assert "NOT_RUN  replicas: service, server-2: what it holds, and its processes use: not asked" in shown
    assert "a token lives 7200 s at most" in shown
    document = json.loads(whole.run("secrets.check", "--declared", "--json").stdout)
    assert document["token_life_s"] == 7200
    assert {line["state"] for line in document["lines"]} == {"holds", "NOT_RUN"}


def test_how_long_a_token_lives_is_its_issuers_to_say(whole: Operator) -> None:
    fleet = whole.project / "inventory" / "lab.yml"
    asked = "{unit: api.service, jwks: 'http://{address}/jwks', token: 'http://{address}/token', token_life_s: 10}"
    fleet.write_text(fleet.read_text().replace("    readers:", f"    issuers: {{token-key: {asked}}}\n    readers:"))
    document = json.loads(whole.run("secrets.check", "--declared", "--json").stdout)
    assert document["token_life_s"] == 10


WRONG = {
    "token-key#private_key": ("lost-key#private_key", "no secret named `lost-key`"),
    "AI_SECRET_ENCRYPTION_KEY: ai-key": ("AI_SECRET_ENCRYPTION_KEY: automation-key", "hostmuster's own"),
    "REDIS_URL: shared-redis": ("REDIS_URL: token-key", "is read by its parts"),
    "    readers:": (
        "    issuers: {lost-ring: {unit: a.service, jwks: 'http://h/', token: 'http://h/'}}\n    readers:",
        "no secret named `lost-ring`",
    ),
    "  clock:": ("    shared_volumes: {other: /srv/artefacts}\n  clock:", "no environment file is named other"),
}


def test_names_that_lead_nowhere_are_all_found_before_any_host_is_touched(whole: Operator) -> None:
    fleet = whole.project / "inventory" / "lab.yml"
    for right, (wrong, _) in WRONG.items():
        fleet.write_text(fleet.read_text().replace(right, wrong))
    refused = whole.run("check", "--json")
    assert refused.returncode == 3
    told = json.loads(refused.stdout)["error"]
    for wrong, said in WRONG.values():
        first = wrong.strip().partition("\n")[0]
        line = fleet.read_text()[: fleet.read_text().index(first)].count("\n") + 1
        assert any(f"lab.yml:{line}: " in one and said in one for one in told.splitlines()), (line, said, told)


def test_a_rollout_and_a_rotation_are_refused_while_replicas_lack_what_they_must_share(whole: Operator) -> None:
    fleet = whole.project / "inventory" / "lab.yml"
    fleet.write_text(fleet.read_text().replace("ASSET_STORAGE_DRIVER: s3", "ASSET_STORAGE_DRIVER: local"))
    before = whole.path.read_bytes()
    for words in (
        ("secrets.rollout",),
        ("secrets.rotate", "renderer", "--confirm", "renderer"),
        ("onboard", "server-1"),
    ):
        refused = whole.run(*words)
        assert refused.returncode == 3, refused
        assert b"server-1, ASSET_STORAGE_DRIVER" in refused.stderr
        assert b"a storage that is not declared to be shared" in refused.stderr
    assert whole.path.read_bytes() == before
