"""Text that hostmuster carries and knows nothing about: a password, a token, a URL that holds one."""

from __future__ import annotations

import secrets

from hostmuster.secrets.kinds.kind import Accepted, Kind, mistake, text_of
from hostmuster.secrets.placeholder import nothing_but_placeholder
from hostmuster.secrets.value import Secret


def _check(value: Secret, where: str) -> Accepted:
    if found := nothing_but_placeholder(text_of(value, where)):
        raise mistake(where, found, "give the real value, or let one be made: --generate")
    return Accepted(value)


def generate(_name: str) -> Secret:
    """256 random bits in 43 characters that no file, URL or shell quotes."""
    return Secret(secrets.token_urlsafe(32))


KIND = Kind("opaque", confidential=True, has_public=False, check=_check, rotation="rolling", generate=generate)
