"""What a host knew and cannot forget: the store's values that its items put there, and what to do about each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, cast

from hostmuster.engine.catalogue import Compiled
from hostmuster.resources.committed import Committed
from hostmuster.resources.file import File
from hostmuster.resources.resource import Resource
from hostmuster.resources.ssh_key import SshKey
from hostmuster.secrets.any_store import AnyStore
from hostmuster.secrets.sealed import Sealed
from hostmuster.secrets.value import Secret

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_REPLACE = "hostmuster secrets.set {name}, then hostmuster apply"
_ROLLED_OUT = "hostmuster secrets.set {name}, then hostmuster secrets.rollout"
_REMEDIES = {
    "rsa-signing-ring": "hostmuster secrets.revoke {name}: its tokens fail at once; secrets.rotate lets them end",
    "shared-credential": "hostmuster secrets.rotate {name}",
    "fernet": "hostmuster secrets.rotate {name}: every row is encrypted anew",
    "ssh-ca": "set a new CA: hostmuster secrets.set {name}, then hostmuster apply on every host",
}
_REVOKED = "nothing: its certificate is refused by every member once the host is offboarded"


@dataclass(frozen=True)
class Exposed:
    """A secret, in which resource the host had it, and how it is made worthless. Never its value."""

    secret: str
    kind: str
    where: str
    remedy: str

    def document(self) -> dict[str, str]:
        """Its part of the run's document."""
        return asdict(self)


def exposed(compiled: Iterable[Compiled], store: AnyStore) -> tuple[Exposed, ...]:
    """Every secret that these items put on their host, in the order of the checklist. Opens the store."""
    values = store.confidential()
    return tuple(dict.fromkeys(one for part in compiled for r in part.resources for one in _known(r, store, values)))


def holds_secret(resource: Resource, values: Mapping[str, Secret]) -> bool:
    """Whether what it puts on a host is for nobody else: a value of the store, or a file that others may not read."""
    closed = isinstance(resource, File) and int(resource.mode, 8) & 0o077 == 0
    return closed or any(True for _ in _names(resource, values))


def _known(resource: Resource, store: AnyStore, values: Mapping[str, Secret]) -> Iterator[Exposed]:
    for name in _names(resource, values):
        kind = store.entries[name].kind.name
        yield Exposed(name, kind, resource.id, _REMEDIES.get(kind, _REPLACE).format(name=name))
    for name in resource.secrets if isinstance(resource, Committed) else ():
        kind = store.entries[name].kind.name if name in store.entries else "no longer in the store"
        yield Exposed(name, kind, resource.id, _REMEDIES.get(kind, _ROLLED_OUT).format(name=name))
    if isinstance(resource, SshKey) and resource.make:
        yield Exposed(resource.comment, "made there", resource.id, _REVOKED)


def _names(resource: Resource, values: Mapping[str, Secret]) -> Iterator[str]:
    kept = (getattr(resource, one.name) for one in fields(cast("DataclassInstance", resource)))
    yield from (one.name for one in kept if isinstance(one, Sealed))
    if isinstance(resource, File):
        yield from (name for name, value in values.items() if value.reveal() in resource.content)
