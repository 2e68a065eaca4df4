"""Every kind of secret there is, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hostmuster.secrets.kinds import credential, fernet, opaque, redis_url, rsa_signing_ring, ssh
from hostmuster.secrets.kinds.kind import Kind, mistake

KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        opaque.KIND,
        ssh.CA,
        ssh.KEY,
        ssh.PUBLIC,
        rsa_signing_ring.KIND,
        fernet.KIND,
        credential.KIND,
        redis_url.KIND,
    )
}


def kind_named(name: str, where: str) -> Kind:
    """Raises InputError for a kind that this version does not know."""
    if name not in KINDS:
        raise mistake(where, f"unknown kind `{name}`", f"one of: {', '.join(KINDS)}; or a newer hostmuster is needed")
    return KINDS[name]


def kind_for(name: str) -> str:
    """The kind a new secret gets by its name when none was given: operators' keys are public."""
    return "ssh-public" if name.startswith("operator/") else "opaque"
