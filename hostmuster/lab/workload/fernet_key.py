"""AI_SECRET_ENCRYPTION_KEY: the key of the rows, valid and nobody's example (K1, K6)."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

from .environment import Environment, secret
from .settings import Misconfigured

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

NAME = "AI_SECRET_ENCRYPTION_KEY"
NEXT = "AI_SECRET_ENCRYPTION_KEY_NEXT"
"""The one that rows are to be encrypted with: given to a migration alone."""
FEWEST = 12
"""Different bytes among a key's 32: random ones have about 30."""


def read(environment: Environment, name: str = NAME) -> Fernet:
    """The key. Raises Misconfigured, without the value."""
    given = secret(environment, name)
    if not given:
        raise Misconfigured([f"{name} is not set: rows are encrypted with it"])
    if not re.fullmatch(r"[A-Za-z0-9_-]{43}=", given):
        raise Misconfigured([f"{name} is not valid: 32 bytes in URL-safe base64, 44 characters"])
    raw = base64.urlsafe_b64decode(given)
    if len(set(raw)) < FEWEST or all(32 <= byte < 127 for byte in raw):
        raise Misconfigured([f"{name} is not valid: a placeholder, not 32 random bytes"])
    try:
        from cryptography.fernet import Fernet
    except ImportError as error:
        raise Misconfigured([f"python3-cryptography is not installed, and {name} is set"]) from error
    return Fernet(given)
