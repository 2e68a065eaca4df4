"""What makes the reference workload a backend on a host: keys and settings from the fleet, and what shows them in use.

Nothing of this is there where neither readers of secrets nor environment files name any of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from hostmuster.effects import signing
from hostmuster.item import Effect
from hostmuster.model.fleet import Host
from hostmuster.resources.package import Package
from hostmuster.secrets.reader import DATABASE_PASSWORD, readers_of

FILES: Final = {
    "signing-key": "RUNTIME_RSA_PRIVATE_KEY_FILE",
    "render-credential": "RENDER_SERVICE_CREDENTIAL_FILE",
    DATABASE_PASSWORD: "DATABASE_PASSWORD_FILE",
}
"""By the name of a reader's file: the variable that names it to the workload."""
TOKEN_LIFE: Final = "WORKLOAD_TOKEN_S"  # noqa: S105 - a variable's name
DATA: Final = "WORKLOAD_DATA"
STATE: Final = "/var/lib/workload"
_KEPT: Final = frozenset({"DATABASE_URL", "RUNTIME_RSA_ALLOW_AUTO_GENERATE"})


def pointers(host: Host, unit: str) -> dict[str, str]:
    """The variables that name the unit's credentials. The workload knows `%d`, which no EnvironmentFile expands."""
    mine = (one for one in readers_of(host).values() if one.unit == unit)
    return {FILES[file]: f"%d/{file}" for one in mine for file in one.files if file in FILES}


def packages(names: Collection[str]) -> Iterator[Package]:
    """What a workload with these variables imports beside Python itself."""
    if signs(names):
        yield Package("python3-jwt")
    if signs(names) or "AI_SECRET_ENCRYPTION_KEY" in names:
        yield Package("python3-cryptography")
    if "DATABASE_URL" in names:
        yield Package("python3-psycopg")


def signs(names: Collection[str]) -> bool:
    """Whether it has keys to sign with."""
    return any(name.startswith("RUNTIME_RSA_") for name in names)


def keeps(names: Collection[str]) -> bool:
    """Whether it has data of its own on the host."""
    return not _KEPT.isdisjoint(names)


def effects(host: Host, unit: str, base: str, within_s: float) -> Iterator[Effect]:
    """By the running process: the keys it publishes are the generation's, and it verifies what it signs (K8)."""
    for ring in _rings(host, unit):
        yield signing.publishes(f"{base}/.well-known/jwks.json", ring, within_s)
        yield signing.verifies_own(base, ring, within_s)


def _rings(host: Host, unit: str) -> list[str]:
    """The rings of which the unit reads the key that signs."""
    mine = [one for one in readers_of(host).values() if one.unit == unit]
    references = [reference for one in mine for reference in (*one.env.values(), *one.files.values())]
    return sorted({name for name, _, part in (one.partition("#") for one in references) if part == "private_key"})
