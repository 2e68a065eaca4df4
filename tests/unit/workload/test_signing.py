"""Tokens of several replicas: who signs, who verifies, and which keys are refused at the start (K2, K3)."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path

import jwt
import pytest

from tests.unit.workload.process import Workload, environment, running, start_with

Pems = tuple[str, str, str]


def ring(current: tuple[str, str], *previous: tuple[str, str]) -> dict[str, str]:
    """The variables of a ring: kid and key of the one that signs, then of those that verify."""
    listed = [{"kid": kid, "private_key": pem} for kid, pem in previous]
    signs = {"RUNTIME_RSA_KEY_ID": current[0], "RUNTIME_RSA_PRIVATE_KEY": current[1]}
    return signs | ({"RUNTIME_RSA_PREVIOUS_KEYS": json.dumps(listed)} if listed else {})


def token_of(one: Workload) -> str:
    status, told, _ = one.ask("/token")
    assert status == 200
    return str(told["token"])


def verified(one: Workload, token: str) -> tuple[int, str]:
    """The status, and who signed or why not."""
    status, told, _ = one.ask("/verify", "POST", json.dumps({"token": token}))
    return status, told.get("signed_by") or told["error"]


def test_replicas_with_one_ring_verify_each_other_and_publish_the_same_keys(opt: Path, pems: Pems) -> None:
    keys = ring(("key-2", pems[0]), ("key-1", pems[1]))
    with running(opt, WORKLOAD_TOKEN_S="60", **keys) as one, running(opt, **keys) as other:
        status, told, _ = one.ask("/token")
        assert status == 200
        assert (told["kid"], told["replica"]) == ("key-2", "server-1-main")
        assert jwt.get_unverified_header(told["token"]) == {"alg": "RS256", "typ": "JWT", "kid": "key-2"}
        claims = jwt.decode(told["token"], options={"verify_signature": False})
        assert claims["exp"] - claims["iat"] == 60
        assert claims["aud"] == "workload"
        assert verified(other, token_of(one)) == (200, "server-1-main")
        assert other.ask(f"/verify?token={told['token']}")[0] == 200
        jwks = one.ask("/.well-known/jwks.json")[1]
        assert jwks == other.ask("/.well-known/jwks.json")[1]
        assert [key["kid"] for key in jwks["keys"]] == ["key-1", "key-2"]
        assert all(set(key) == {"kty", "use", "alg", "kid", "n", "e"} for key in jwks["keys"])
        published = {key.key_id: key for key in jwt.PyJWKSet.from_dict(jwks).keys}
        assert jwt.decode(told["token"], published["key-2"], ["RS256"], audience="workload")["jti"] == claims["jti"]


def test_a_key_of_the_ring_verifies_and_one_that_is_gone_does_not(opt: Path, pems: Pems) -> None:
    with running(opt, **ring(("key-1", pems[0]))) as before:
        old = token_of(before)
    with running(opt, **ring(("key-2", pems[1]), ("key-1", pems[0]))) as meanwhile:
        assert verified(meanwhile, old) == (200, "server-1-main")
        new = token_of(meanwhile)
    with running(opt, **ring(("key-2", pems[1]))) as after:
        assert verified(after, new)[0] == 200
        assert verified(after, old) == (401, "unknown kid")


def test_what_is_no_good_token_is_told_apart(opt: Path, pems: Pems) -> None:
    with running(opt, WORKLOAD_TOKEN_S="1", **ring(("key-1", pems[0]))) as one:
        expiring = token_of(one)
        claims = {"aud": "workload", "exp": int(time.time()) + 60}

        def signed(pem: str, more: dict[str, object], algorithm: str = "RS256") -> str:
            return jwt.encode({**claims, **more}, pem, algorithm, headers={"kid": "key-1"})

        public = base64.b64encode(b"a public key taken for an HMAC key").decode()
        for token, reason in {
            signed(pems[1], {}): "wrong signature",
            signed(pems[0], {"aud": "somebody else"}): "not valid here",
            jwt.encode({"aud": "workload"}, pems[0], "RS256", headers={"kid": "key-1"}): "not valid here",
            signed("", {}, "none"): "not valid here",
            signed(public, {}, "HS256"): "not valid here",
            "no token": "not a token",
            "": "not a token",
        }.items():
            assert verified(one, token) == (401, reason)
        time.sleep(2.1)
        assert verified(one, expiring) == (401, "expired")
        code, log = one.stop()
    assert code == 0
    assert expiring not in log


def test_a_body_is_taken_only_where_one_is_expected_and_not_of_any_length(opt: Path, pems: Pems) -> None:
    with running(opt, **ring(("key-1", pems[0]))) as one:
        assert one.ask("/work", "POST", "x")[0] == 501
        assert one.ask("/verify", "POST", "x" * 70_000)[0] == 413
        assert one.ask("/verify", "POST", headers={"Content-Length": "many"})[0] == 411


def test_the_key_comes_from_the_first_of_its_places(opt: Path, pems: Pems, tmp_path: Path) -> None:
    (tmp_path / "file.pem").write_text(pems[1])
    (tmp_path / "runtime_rsa_key.pem").write_text(pems[2])
    legacy = {"WORKLOAD_DATA": str(tmp_path), "WORKLOAD_TOKEN_S": "60"}
    file = legacy | {"RUNTIME_RSA_PRIVATE_KEY_FILE": str(tmp_path / "file.pem")}
    credential = legacy | {"RUNTIME_RSA_PRIVATE_KEY_FILE": "%d/file.pem", "CREDENTIALS_DIRECTORY": str(tmp_path)}
    shell = {**credential, "RUNTIME_RSA_PRIVATE_KEY_FILE": "$CREDENTIALS_DIRECTORY/file.pem"}
    seen = []
    for given in (legacy, file, credential, shell, file | {"RUNTIME_RSA_PRIVATE_KEY": pems[0]}):
        with running(opt, **given) as one:
            (key,) = one.ask("/.well-known/jwks.json")[1]["keys"]
            seen.append(key["n"])
    assert seen[1] == seen[2] == seen[3]
    assert len(set(seen)) == 3


def test_a_single_instance_may_make_its_key_and_keeps_it(opt: Path, tmp_path: Path) -> None:
    given = {"RUNTIME_RSA_ALLOW_AUTO_GENERATE": "true", "WORKLOAD_DATA": str(tmp_path)}
    with running(opt, **given) as first:
        before = first.ask("/.well-known/jwks.json")[1]
    (made,) = tmp_path.iterdir()
    assert (made.name, made.stat().st_mode & 0o777) == ("runtime_rsa_key.pem", 0o600)
    with running(opt, **given) as second:
        assert second.ask("/.well-known/jwks.json")[1] == before


REFUSED = {
    "no key at all": ({"WORKLOAD_TOKEN_S": "60"}, "RUNTIME_RSA_PRIVATE_KEY is not set"),
    "generated, and nowhere to keep it": ({"RUNTIME_RSA_ALLOW_AUTO_GENERATE": "true"}, "WORKLOAD_DATA is not set"),
    "a file that is not there": ({"RUNTIME_RSA_PRIVATE_KEY_FILE": "/no/such"}, "No such file"),
    "a credential of a unit without any": ({"RUNTIME_RSA_PRIVATE_KEY_FILE": "%d/key"}, "the unit has none"),
    "no PEM": ({"RUNTIME_RSA_PRIVATE_KEY": "KEY-TEXT"}, "RUNTIME_RSA_PRIVATE_KEY is not valid"),
    "a life that is none": ({"WORKLOAD_TOKEN_S": "0"}, "WORKLOAD_TOKEN_S is not valid"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_it_refuses_to_start_with(opt: Path, pems: Pems, case: str) -> None:
    given, said = REFUSED[case]
    usable = ring(("key-1", pems[0])) if "life" in case else {}
    code, told = start_with(opt, environment(8080, **usable, **given))
    assert code == 78
    assert said in told
    assert "KEY-TEXT" not in told


RINGS = {
    "the kid that signs": [("key-1", 1)],
    "one kid twice": [("key-0", 1), ("key-0", 2)],
}


@pytest.mark.parametrize("case", RINGS)
def test_it_refuses_to_start_with_a_ring_that_has(opt: Path, pems: Pems, case: str) -> None:
    keys = ring(("key-1", pems[0]), *((kid, pems[place]) for kid, place in RINGS[case]))
    code, told = start_with(opt, environment(8080, **keys))
    assert code == 78
    assert told.startswith("RUNTIME_RSA_PREVIOUS_KEYS has ")
    assert "PRIVATE KEY---" not in told


@pytest.mark.parametrize("text", ["", "null", "{}", '["key"]', '[{"kid": "key-0"}]', '[{"kid": 1, "private_key": 2}]'])
def test_it_refuses_to_start_with_a_ring_that_is_no_list_of_keys(opt: Path, pems: Pems, text: str) -> None:
    code, told = start_with(opt, environment(8080, **ring(("key-1", pems[0])) | {"RUNTIME_RSA_PREVIOUS_KEYS": text}))
    assert code == 78
    assert told.startswith("RUNTIME_RSA_PREVIOUS_KEYS is not valid")


def test_a_key_of_the_ring_may_be_a_file(opt: Path, pems: Pems, tmp_path: Path) -> None:
    (tmp_path / "old.pem").write_text(pems[1])
    listed = json.dumps([{"kid": "key-0", "private_key_file": "%d/old.pem"}])
    given = ring(("key-1", pems[0])) | {"RUNTIME_RSA_PREVIOUS_KEYS": listed, "CREDENTIALS_DIRECTORY": str(tmp_path)}
    with running(opt, **given) as one:
        assert [key["kid"] for key in one.ask("/.well-known/jwks.json")[1]["keys"]] == ["key-0", "key-1"]


def test_the_plain_workload_needs_no_library_and_one_with_keys_names_what_it_lacks(opt: Path, pems: Pems) -> None:
    bare = ("-I", "-S", str(opt / "workload"))  # -S: nothing but Python itself
    with running(opt, *bare) as one:
        assert one.ask("/token")[0] == 404
        assert one.ask("/health/ready")[0] == 200
    with (
        pytest.raises(AssertionError, match="python3-cryptography is not installed"),
        running(opt, *bare, **ring(("key-1", pems[0]))),
    ):
        pass
