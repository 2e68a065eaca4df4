"""Which PEM texts are keys that sign RS256 tokens, and what is said of every other (K1)."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from hostmuster.errors import InputError
from hostmuster.secrets import rsa_key
from hostmuster.secrets.value import Secret

from .keys import OPENSSH, PKCS1, pem, published, rsa_of, written

EXAMPLE = {
    "kty": "RSA",
    "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3o"
    "knjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6q"
    "MQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzK"
    "nqDKgw",
    "e": "AQAB",
    "alg": "RS256",
    "kid": "2011-04-29",
}


def jwk_thumbprint(jwk: dict[str, str]) -> str:
    """RFC 7638, section 3, read once more."""
    required = json.dumps({name: jwk[name] for name in ("e", "kty", "n")}, separators=(",", ":"))
    return base64.urlsafe_b64encode(hashlib.sha256(required.encode()).digest()).decode().rstrip("=")


LINES = pem().splitlines()
BODY = "".join(LINES[1:-1])

SAME_KEY = {
    "PKCS#8": pem(),
    "PKCS#1": written(rsa_of(2048), PKCS1),
    "CRLF": pem().replace("\n", "\r\n"),
    "not wrapped": f"{LINES[0]}\n{BODY}\n{LINES[-1]}\n",
    "no newline after the header": pem().replace("-----\n", "-----", 1),
    "no newline at the end": pem().rstrip(),
    "indented": pem().replace("\n", "\n  "),
    "a byte order mark": "\ufeff" + pem(),
}


def public() -> str:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return rsa_of(2048).public_key().public_bytes(serialization.Encoding.PEM, form).decode()


CERTIFICATE = f"-----BEGIN CERTIFICATE-----\n{BODY[:64]}\n-----END CERTIFICATE-----\n"

REFUSED: dict[str, tuple[Callable[[], str], str]] = {
    "a literal \\n": (lambda: pem().replace("\n", "\\n"), r"a literal \n stands"),
    "no PEM": (lambda: BODY, "no PEM block"),
    "truncated": (lambda: pem()[:800], "truncated: its last line is missing"),
    "last lines missing": (lambda: "\n".join([*LINES[:-3], LINES[-1]]), "damaged or truncated"),
    "a character changed": (lambda: pem().replace(LINES[5][:8], "AAAAAAAA"), "damaged or truncated"),
    "a blank line before END": (lambda: pem().replace("\n-----END", "\n\n-----END"), "a blank line inside"),
    "a blank line with CR before END": (lambda: pem().replace("\n-----END", "\n\r\n-----END"), "a blank line inside"),
    "encrypted PKCS#8": (lambda: written(rsa_of(2048), password=b"x"), "protected by a passphrase"),
    "encrypted PKCS#1": (lambda: written(rsa_of(2048), PKCS1, b"x"), "protected by a passphrase"),
    "a public key": (public, "a PUBLIC KEY, not an RSA private key"),
    "a certificate": (lambda: CERTIFICATE, "a CERTIFICATE, not an RSA private key"),
    "an OpenSSH key": (lambda: written(rsa_of(2048), OPENSSH), "a OPENSSH PRIVATE KEY, not"),
    "an EC key in PKCS#8": (lambda: written(ec.generate_private_key(ec.SECP256R1())), "another algorithm"),
    "an EC key by its label": (lambda: written(ec.generate_private_key(ec.SECP256R1()), PKCS1), "a EC PRIVATE KEY"),
    "an Ed25519 key": (lambda: written(ed25519.Ed25519PrivateKey.generate()), "another algorithm (Ed25519)"),
    "PKCS#8 under PKCS#1's label": (lambda: pem().replace("PRIVATE", "RSA PRIVATE"), "are mixed up"),
    "PKCS#1 under PKCS#8's label": (
        lambda: written(rsa_of(2048), PKCS1).replace("RSA PRIVATE", "PRIVATE"),
        "are mixed up",
    ),
    "certificate and key": (lambda: CERTIFICATE + pem(), "more than the key in it: a CERTIFICATE too"),
    "two keys": (lambda: pem() + pem(1), "2 private keys in it"),
    "1024 bits": (lambda: written(rsa_of(1024)), "a key of 1024 bits"),
    "2047 bits": (lambda: written(rsa_of(2047)), "a key of 2047 bits"),
    "exponent 3": (lambda: written(rsa_of(2048, 3)), "the public exponent 3"),
    "a key of an RFC": (published, "a key out of published documentation"),
}


@pytest.mark.parametrize("form", SAME_KEY)
def test_a_key_is_taken_however_it_is_written_and_kept_in_one_form(form: str) -> None:
    assert rsa_key.accepted(Secret(SAME_KEY[form]), "key").text() == pem()


@pytest.mark.parametrize("form", REFUSED)
def test_what_is_no_such_key_is_refused_for_what_it_is_and_is_not_shown(form: str) -> None:
    text, said = REFUSED[form][0](), REFUSED[form][1]
    with pytest.raises(InputError) as caught:
        rsa_key.accepted(Secret(text), "token-key")
    (problem,) = caught.value.problems
    assert said in problem.what
    assert problem.where == "token-key"
    lines = [line for line in text.splitlines() if len(line) > 20 and not line.startswith("-----")]
    assert not [line for line in lines if line in str(caught.value)]


def test_a_thumbprint_is_the_one_of_rfc_7638() -> None:
    assert jwk_thumbprint(EXAMPLE) == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"  # the RFC's own (3.1)
    numbers = rsa_of(2048).public_key().public_numbers()
    modulus = base64.urlsafe_b64encode(numbers.n.to_bytes(256)).decode().rstrip("=")
    assert rsa_key.thumbprint(Secret(pem())) == jwk_thumbprint({"kty": "RSA", "n": modulus, "e": "AQAB"})


def test_a_generated_key_is_accepted_by_us_and_by_openssl() -> None:
    made = rsa_key.generate()
    assert rsa_key.accepted(made, "key") == made
    checked = subprocess.run(
        ["openssl", "pkey", "-check", "-noout", "-text"], input=made.reveal(), capture_output=True, check=True
    )
    assert b"Key is valid" in checked.stdout
    assert b"2048 bit" in checked.stdout
