"""How long a token of a fleet's services may live (K4): as an issuer says, else as their environments are rendered."""

from __future__ import annotations

from hostmuster.model.fleet import Fleet
from hostmuster.secrets.issuer import Issuer
from hostmuster.secrets.preflight.environment import environments_of
from hostmuster.secrets.reader import issuers_of
from hostmuster.secrets.rotation.token_life import longest_s


def of_issuer(fleet: Fleet, issuer: Issuer) -> float:
    """Seconds. Raises InputError for a deadline in an environment that is no number of seconds."""
    return _rendered(fleet) if issuer.token_life_s is None else issuer.token_life_s


def of_fleet(fleet: Fleet) -> float:
    """The longest of all issuers', or of a service's where nobody says how it is asked. Raises as of_issuer."""
    issuers = [issuer for host in fleet.hosts.values() for issuer in issuers_of(host).values()]
    return max((of_issuer(fleet, issuer) for issuer in issuers), default=None) or _rendered(fleet)


def _rendered(fleet: Fleet) -> float:
    services = environments_of(fleet)
    return longest_s((one.host, one.values) for found in services.values() for one in found)
