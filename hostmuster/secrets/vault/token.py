"""The operator's token: out of a file or their own environment, never out of the project's text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hostmuster.errors import Refused
from hostmuster.secrets.value import Secret

VARIABLE: Final = "VAULT_TOKEN"
_GET_ONE = f"vault login; or give it in ${VARIABLE}, or name its file: secrets.vault.token_file"


def token(file: Path | None, environ: Mapping[str, str], home: Path) -> Secret:
    """Out of the declared file; without one $VAULT_TOKEN, then ~/.vault-token, where the vault tool keeps it.

    Raises Refused: there is none, others can read the file, or it holds something else.
    """
    if file is None and environ.get(VARIABLE, "").strip():
        return _checked(Secret(environ[VARIABLE].strip()), f"${VARIABLE}")
    place = file or home / ".vault-token"
    try:
        if place.stat().st_mode & 0o077:
            raise Refused("others can read this token", where=str(place), remedy=f"chmod 600 {place}")
        return _checked(Secret(place.read_bytes().strip()), str(place))
    except FileNotFoundError:
        raise Refused("there is no token for the Vault", where=str(place), remedy=_GET_ONE) from None
    except OSError as error:
        raise Refused(f"the token cannot be read: {error.strerror}", where=str(place), remedy=_GET_ONE) from None


def _checked(found: Secret, where: str) -> Secret:
    if not found.reveal() or not all(0x21 <= byte <= 0x7E for byte in found.reveal()):
        raise Refused("this is no token: one word of ASCII is", where=where, remedy=_GET_ONE)
    return found
