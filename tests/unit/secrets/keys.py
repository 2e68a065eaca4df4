"""Keys as other programs write them, made once for all tests."""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes

from hostmuster.secrets import rsa_key
from hostmuster.secrets.ring import RingKey
from hostmuster.secrets.value import Secret

PKCS8 = serialization.PrivateFormat.PKCS8
PKCS1 = serialization.PrivateFormat.TraditionalOpenSSL
OPENSSH = serialization.PrivateFormat.OpenSSH


def rsa_of(bits: int, exponent: int = 65537, copy: int = 0) -> rsa.RSAPrivateKey:
    """A key of a size; `copy` numbers different ones."""
    return _made(bits, exponent, copy)


@cache
def _made(bits: int, exponent: int, _copy: int) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(exponent, bits)


def written(key: PrivateKeyTypes, form: serialization.PrivateFormat = PKCS8, password: bytes = b"") -> str:
    locked = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, form, locked).decode()


def pem(copy: int = 0) -> str:
    return written(rsa_of(2048, copy=copy))


@cache
def ring_key(kid: str, copy: int = 0) -> RingKey:
    return RingKey(kid, rsa_key.accepted(Secret(pem(copy)), kid))


def published() -> str:
    """The private key of RFC 7515, appendix A.2, put together from its numbers."""
    lines = (Path(__file__).parent / "published" / "rfc7515-a2.txt").read_text().split()
    n, d = (int.from_bytes(base64.urlsafe_b64decode(line + "==")) for line in lines)
    p, q = rsa.rsa_recover_prime_factors(n, 65537, d)
    public = rsa.RSAPublicNumbers(65537, n)
    crt = rsa.rsa_crt_dmp1(d, p), rsa.rsa_crt_dmq1(d, q), rsa.rsa_crt_iqmp(p, q)
    return written(rsa.RSAPrivateNumbers(p, q, d, *crt, public).private_key())
