"""What a service's answers prove of the process that gave them."""

from __future__ import annotations

import base64
import json
import time

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from hostmuster.item import Answer
from hostmuster.secrets import rsa_key
from hostmuster.secrets.issuer import served
from hostmuster.secrets.ring import RingKey

ONE, TWO, OTHER = (RingKey(kid, rsa_key.generate()) for kid in ("key-1", "key-2", "key-1"))


def published(key: RingKey) -> dict[str, str]:
    """As a JWKS has it."""
    numbers = _private(key).public_key().public_numbers()

    def text(number: int) -> str:
        raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
        return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()

    return {"kty": "RSA", "kid": key.kid, "use": "sig", "n": text(numbers.n), "e": text(numbers.e)}


def _private(key: RingKey) -> RSAPrivateKey:
    loaded = load_pem_private_key(key.private.reveal(), None)
    assert isinstance(loaded, RSAPrivateKey)
    return loaded


def token(key: RingKey) -> str:
    """Signed by a library that is not ours."""
    return jwt.encode({"exp": int(time.time()) + 60}, _private(key), "RS256", headers={"kid": key.kid})


def answer(keys: list[RingKey], signed: str) -> Answer:
    """What a host tells of its service, 100 s after boot, started 30 s before."""
    lines = [
        json.dumps({"keys": [published(key) for key in keys]}),
        json.dumps({"token": signed}),
        "70000000",
        "100.0 1.0",
    ]
    return Answer(0, "\n".join(lines) + "\n")


def test_it_signs_with_the_key_of_its_token_and_verifies_what_it_publishes() -> None:
    seen = served(answer([ONE, TWO], token(ONE)))
    assert seen.serves is not None
    assert (seen.serves.signs, seen.serves.verifies) == (ONE.word, frozenset({ONE.word, TWO.word}))
    assert seen.for_s == pytest.approx(30)


def test_another_key_under_the_same_kid_is_another_key() -> None:
    seen = served(answer([OTHER], token(OTHER)))
    assert seen.serves is not None
    assert seen.serves.signs == OTHER.word != ONE.word


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (answer([TWO], token(ONE)), "does not publish the key that signed"),
        (answer([OTHER], token(ONE)), "does not publish the key that signed"),
        (answer([ONE], "no.token.at-all"), "does not publish the key that signed"),
        (Answer(3, ""), "exit 3"),
        (Answer(4, "curl: (7) Failed to connect\n"), "Failed to connect"),
        (Answer(0, "{}\n{}\n1\n2 3\n"), "no JWKS and no token"),
    ],
)
def test_what_proves_nothing_is_nothing_with_the_reason(told: Answer, why: str) -> None:
    seen = served(told)
    assert seen.serves is None
    assert why in seen.why
