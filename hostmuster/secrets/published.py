"""The public half of a ring as services publish it (JWKS, RFC 7517)."""

from __future__ import annotations

import base64
import hashlib
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
from cryptography.hazmat.primitives.hashes import SHA256
from pydantic import BaseModel

from hostmuster.secrets.ring import word


class PublishedKey(BaseModel):
    """The public half of a ring's key, as JWKS has it (RFC 7517)."""

    kid: str
    n: str
    e: str

    @property
    def thumbprint(self) -> str:
        """RFC 7638."""
        canonical = json.dumps({"e": self.e, "kty": "RSA", "n": self.n}, separators=(",", ":"))
        return base64.urlsafe_b64encode(hashlib.sha256(canonical.encode()).digest()).rstrip(b"=").decode()

    @property
    def word(self) -> str:
        """As a ring's own keys are told apart."""
        return word(self.kid, self.thumbprint)

    def signed(self, token: str) -> bool:
        """Whether the token's signature (RS256) is this key's."""
        head, _, signature = token.rpartition(".")
        public = RSAPublicNumbers(_number(self.e), _number(self.n)).public_key()
        try:
            public.verify(decoded(signature), head.encode(), PKCS1v15(), SHA256())
        except InvalidSignature:
            return False
        return True


class Jwks(BaseModel):
    """What a service publishes."""

    keys: list[PublishedKey]


def decoded(text: str) -> bytes:
    """Base64url as a token and a key have it, without its padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _number(text: str) -> int:
    return int.from_bytes(decoded(text), "big")
