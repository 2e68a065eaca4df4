"""The founding of a store: who can read it, and the two keys every fleet needs from its first day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hostmuster.errors import Refused
from hostmuster.project import Project
from hostmuster.secrets import sshkeys
from hostmuster.secrets.any_store import AnyStore
from hostmuster.secrets.chosen import create_in_vault, vault_of
from hostmuster.secrets.kinds.catalogue import KINDS
from hostmuster.secrets.kinds.kind import Accepted, Kind
from hostmuster.secrets.recipients import GIVEN, Identities, make_identity, own_identity_file, recipient
from hostmuster.secrets.store import Store


@dataclass(frozen=True)
class Founded:
    """The new store and, one sentence each, what was made and where."""

    store: Store
    statements: tuple[str, ...]


def found_store(path: Path, fleet: str, given: Sequence[str], environ: Mapping[str, str], home: Path) -> Founded:
    """Make a fleet's store with its SSH CA (H9) and the automation user's key.

    Without recipients given: the operator's ~/.ssh/id_ed25519.pub, else an age identity made for them.
    Raises InputError for what is no recipient, Refused when there is a store already.
    """
    if path.exists() or path.is_symlink():
        raise Refused("there is a store already", where=str(path), remedy="secrets.list shows what it holds")
    statements: list[str] = []
    if given:
        readers = list(dict.fromkeys(recipient(one) for one in given))
    else:
        readers = [_operators_own(environ, home, statements)]
    identities = Identities.of_operator(environ, home)
    store = Store.create(path, readers, _first_keys(fleet), identities)
    statements += [f"{path}: made; it can be read by", *(f"    {reader}" for reader in readers), *_made(store)]
    if not _opens(store):
        statements.append("note: no identity on this machine opens it; commands that need a secret will refuse here")
    return Founded(store, tuple(statements))


def found_in_vault(project: Project, fleet: str, given: Sequence[str]) -> tuple[str, ...]:
    """The same in the Vault that the fleet file names: its statements. Raises Refused for recipients: it has none."""
    vault = vault_of(project, fleet)
    assert vault is not None  # noqa: S101 - the caller has asked
    if given:
        remedy = "leave out --recipient: who reads it is for the Vault's own policies to say"
        raise Refused("a store in a Vault has no recipients", where=vault.shown, remedy=remedy)
    store = create_in_vault(project, vault, _first_keys(fleet))
    return (f"{store.where}: made, version {store.version}", *_made(store))


def _made(store: AnyStore) -> tuple[str, ...]:
    return (
        f"ssh-ca: made, the CA by which the fleet's hosts trust each other, {store.fingerprint('ssh-ca')}",
        f"automation-key: made, the key hostmuster logs in with, {store.fingerprint('automation-key')}",
    )


def _first_keys(fleet: str) -> dict[str, tuple[Kind, Accepted]]:
    made = {}
    for name, kind in (("ssh-ca", "ssh-ca"), ("automation-key", "ssh-key")):
        private, public = sshkeys.generate(f"hostmuster-{fleet}-{name}")
        made[name] = (KINDS[kind], Accepted(private, public))
    return made


def _operators_own(environ: Mapping[str, str], home: Path, statements: list[str]) -> str:
    public, private = home / ".ssh" / "id_ed25519.pub", home / ".ssh" / "id_ed25519"
    own = own_identity_file(environ, home)
    found = Identities.of_operator(environ, home)
    sources = {identity.source for identity in found.found}
    if public.exists() and private in sources:
        statements.append(f"{public}: your SSH key reads the store")
        return recipient(str(public))
    told = (f"{private}: protected", f"{GIVEN} names ")
    statements += [line for line in found.passed_over if line.startswith(told)]
    if own in sources:
        statements.append(f"{own}: your age identity reads the store")
        return recipient_of(own)
    made = make_identity(own)
    statements.append(f"{own}: made, your age identity (mode 0600); keep a copy of it away from this machine")
    return made


def recipient_of(identity_file: Path) -> str:
    """The recipient that goes with an age identity file of ours."""
    import pyrage

    keys = [line for line in identity_file.read_text().splitlines() if line.startswith("AGE-SECRET-KEY-")]
    return str(pyrage.x25519.Identity.from_str(keys[0]).to_public())


def _opens(store: Store) -> bool:
    try:
        store.verify()
    except Refused:
        return False
    return True
