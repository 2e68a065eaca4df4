"""The credential that backends and renderers share: a request is signed with it and with its time (K7)."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from dataclasses import dataclass, field

from .environment import Environment, seconds, secret
from .settings import Misconfigured

NAME = "RENDER_SERVICE_CREDENTIAL"
LIFE = "RENDER_TOKEN_SECONDS"
SHORTEST = 32
FEWEST = 10
"""Different characters: 32 random hexadecimal digits nearly always have more."""
AHEAD_S = 60
"""How far the signer's clock may be ahead."""

_PLACEHOLDER = re.compile(r"change|replace|placeholder|example|default|password|your|insecure|[<>{}\s]", re.IGNORECASE)
_HEADER = re.compile(r"HMAC-SHA256 time=([0-9]{1,12}), signature=([0-9a-f]{64})")


@dataclass(frozen=True)
class Credential:
    """The key, and for how many seconds what was signed with it is taken."""

    key: bytes = field(repr=False)
    life_s: int

    def sign(self, method: str, path: str, body: bytes) -> str:
        """The header Authorization of a request."""
        now = str(int(time.time()))
        return f"HMAC-SHA256 time={now}, signature={self._signature(now, method, path, body)}"

    def accepts(self, header: str, method: str, path: str, body: bytes) -> bool:
        """Whether a request was signed with this credential, not too long ago, and is what was signed."""
        found = _HEADER.fullmatch(header)
        if not found:
            return False
        signed, signature = found.groups()
        fresh = -AHEAD_S <= time.time() - int(signed) <= self.life_s
        return hmac.compare_digest(signature, self._signature(signed, method, path, body)) and fresh

    def _signature(self, signed: str, method: str, path: str, body: bytes) -> str:
        text = f"{signed}\n{method}\n{path}\n".encode() + hashlib.sha256(body).digest()
        return hmac.new(self.key, text, hashlib.sha256).hexdigest()


def read(environment: Environment) -> Credential:
    """The one in an environment. Raises Misconfigured, without the value."""
    given = secret(environment, NAME)
    if not given:
        raise Misconfigured([f"{NAME} is not set, nor {NAME}_FILE"])
    if _PLACEHOLDER.search(given):
        raise Misconfigured([f"{NAME} is not valid: a placeholder, or a blank in it"])
    if len(given) < SHORTEST or len(set(given)) < FEWEST:
        raise Misconfigured([f"{NAME} is not valid: weak; {SHORTEST} random characters are the least"])
    return Credential(given.encode(), seconds(environment, LIFE, 3600))
