"""Short-lived tokens (JWT, RS256): issued with the ring's current key, verified with all of them (K3)."""

from __future__ import annotations

import importlib
import json
import secrets
import time
from dataclasses import dataclass
from http import HTTPStatus
from types import ModuleType

from .ring import Ring
from .route import Answer, Asked, Routes
from .settings import Misconfigured

AUDIENCE = "workload"
ALGORITHM = "RS256"


class Rejected(Exception):
    """A token that this replica does not take; the text is the reason."""


@dataclass(frozen=True)
class Tokens:
    """What this replica issues and takes. `life_s`: seconds until a token of it ends."""

    ring: Ring
    replica: str
    life_s: int
    jwt: ModuleType

    @classmethod
    def of(cls, ring: Ring, replica: str, life_s: int) -> Tokens:
        """Raises Misconfigured where the library is not installed."""
        try:
            return cls(ring, replica, life_s, importlib.import_module("jwt"))
        except ImportError as error:
            raise Misconfigured(["python3-jwt is not installed, and keys are configured"]) from error

    @property
    def routes(self) -> Routes:
        """What is answered about them."""
        return {
            "/.well-known/jwks.json": lambda _: Answer(HTTPStatus.OK, self.ring.jwks()),
            "/token": self._token,
            "/verify": self._verify,
        }

    def issue(self) -> tuple[str, int]:
        """A token, and when it ends (seconds since 1970)."""
        key, now = self.ring.current, int(time.time())
        claims = {"aud": AUDIENCE, "iat": now, "exp": now + self.life_s, "jti": secrets.token_hex(8)}
        told = {**claims, "replica": self.replica}
        return str(self.jwt.encode(told, key.private, ALGORITHM, headers={"kid": key.kid})), now + self.life_s

    def verify(self, token: str) -> dict[str, object]:
        """Who signed it, with which key, until when. Raises Rejected."""
        try:
            kid = self.jwt.get_unverified_header(token).get("kid")
        except self.jwt.InvalidTokenError:
            raise Rejected("not a token") from None
        key = next((key for key in self.ring.keys if key.kid == kid), None)
        if key is None:
            raise Rejected("unknown kid")
        # Not by the time it was issued: a clock that is a little behind must not refuse what another just gave out.
        options = {"require": ["exp", "aud"], "verify_iat": False}
        try:
            claims = self.jwt.decode(
                token, key.private.public_key(), algorithms=[ALGORITHM], audience=AUDIENCE, options=options
            )
        except self.jwt.ExpiredSignatureError:
            raise Rejected("expired") from None
        except self.jwt.InvalidSignatureError:
            raise Rejected("wrong signature") from None
        except self.jwt.InvalidTokenError:
            raise Rejected("not valid here") from None
        return {"kid": kid, "signed_by": claims.get("replica"), "exp": claims["exp"]}

    def _token(self, _: Asked) -> Answer:
        token, ends = self.issue()
        told = {"token": token, "kid": self.ring.current.kid, "exp": ends, "replica": self.replica}
        return Answer(HTTPStatus.OK, told)

    def _verify(self, asked: Asked) -> Answer:
        try:
            return Answer(HTTPStatus.OK, {"valid": True, "verified_by": self.replica, **self.verify(_given(asked))})
        except Rejected as reason:
            said = {"valid": False, "verified_by": self.replica, "error": str(reason)}
            return Answer(HTTPStatus.UNAUTHORIZED, said)


def _given(asked: Asked) -> str:
    """The token of a request: in its query, or its body as JSON or as it is."""
    if not asked.body:
        return asked.query.get("token", "")
    text = asked.body.decode("utf-8", "replace").strip()
    try:
        document = json.loads(text)
    except ValueError:
        return text
    token = document.get("token") if isinstance(document, dict) else None
    return token if isinstance(token, str) else ""
