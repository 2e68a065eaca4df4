"""What keeps a Vault from answering, in our own words: those of a server or a library may quote what was sent."""

from __future__ import annotations

from typing import Final, Literal

from hvac import exceptions
from requests import exceptions as transport

from hostmuster.errors import HostmusterError, Refused
from hostmuster.secrets.vault.settings import Vault

Act = Literal["read", "update"]
ERRORS: Final = (exceptions.VaultError, transport.RequestException)
"""All that hvac raises for an answer that is none."""
_AGAIN = "see to that, then the same command again"


def complaint(error: Exception, vault: Vault, act: Act) -> HostmusterError:
    """What to tell: Refused where nothing was written for sure."""
    match error:
        case transport.SSLError():
            said = "its certificate is not trusted", "name the PEM file of who signed it: secrets.vault.ca"
        case exceptions.VaultDown() if any("sealed" in str(one) for one in error.errors or ()):
            said = "the Vault is sealed", f"vault operator unseal; {_AGAIN}"
        case exceptions.VaultDown():
            said = "the Vault does not serve now (503)", _AGAIN
        case exceptions.Forbidden() | exceptions.Unauthorized():
            allowed = f"a policy that allows {act} on {vault.mount}/data/{vault.path}"
            said = f"the token may not {act} this, or is over", f"vault login; it needs {allowed}"
        case exceptions.VaultNotInitialized():
            said = "the Vault is not initialized", f"vault operator init; {_AGAIN}"
        case exceptions.RateLimitExceeded():
            said = "the Vault takes no more requests for now (429)", _AGAIN
        case exceptions.InvalidRequest():
            said = "the Vault refuses the request (400)", "its own log says why"
        case _:
            return _unanswered(error, vault, act)
    return Refused(said[0], where=vault.shown, remedy=said[1])


def _unanswered(error: Exception, vault: Vault, act: Act) -> HostmusterError:
    """Something between here and an answer: what was sent may have come there."""
    match error:
        case transport.ConnectionError():
            said = "the Vault cannot be reached", "is secrets.vault.url right, and the way there open?"
        case transport.Timeout():
            said = f"the Vault did not answer within {vault.timeout_s:g} s", _AGAIN
        case _:
            said = f"the Vault failed ({type(error).__name__})", f"its own log says why; {_AGAIN}"
    if act == "read":
        return Refused(said[0], where=vault.shown, remedy=said[1])
    remedy = "hostmuster secrets.list tells; then the same command again"
    return HostmusterError(f"{said[0]}: whether it was written is not known", where=vault.shown, remedy=remedy)
