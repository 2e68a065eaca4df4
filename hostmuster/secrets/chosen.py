"""Which store a fleet has: the SOPS file of its name, or the Vault that its fleet file names."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hostmuster.errors import InputError, Problem, Refused
from hostmuster.project import Project
from hostmuster.secrets.any_store import AnyStore
from hostmuster.secrets.kinds.kind import Accepted, Kind
from hostmuster.secrets.place import store_path
from hostmuster.secrets.store import Store

if TYPE_CHECKING:
    from hostmuster.secrets.vault.kv import Kv
    from hostmuster.secrets.vault.settings import Vault

_INSTALL = "pip install 'hostmuster[vault]', into the environment that hostmuster runs in"


def open_store(project: Project, fleet: str) -> AnyStore:
    """Raises Refused where there is none or it cannot be read, InputError for what is wrong with it."""
    vault = vault_of(project, fleet)
    if vault is None:
        return Store.open(project, fleet)
    kv = _way(project, vault)
    from hostmuster.secrets.vault.store import VaultStore

    return VaultStore.read(kv)


def create_in_vault(project: Project, vault: Vault, first: Mapping[str, tuple[Kind, Accepted]]) -> AnyStore:
    """A store there with its first secrets. Raises Refused where something is already."""
    kv = _way(project, vault)
    from hostmuster.secrets.vault.store import VaultStore

    return VaultStore.create(kv, first)


def in_vaults(project: Project) -> dict[str, Callable[[], AnyStore]]:
    """The project's fleets whose secrets are in a Vault, none of which is asked yet."""
    names = sorted(path.stem for path in project.root.glob("inventory/*.yml"))
    return {f"the Vault of {name}": partial(open_store, project, name) for name in names if vault_of(project, name)}


def has_store(project: Project, fleet: str) -> bool:
    """Whether it has one, as far as that is known without asking a server."""
    return vault_of(project, fleet) is not None or store_path(project, fleet).exists()


def file_store(project: Project, fleet: str, act: str) -> Store:
    """Its SOPS file. Raises Refused, naming what makes no sense there, for a fleet whose secrets are in a Vault."""
    if vault := vault_of(project, fleet):
        remedy = "who reads it is for the Vault's own policies to say: vault policy write"
        raise Refused(f"a store in a Vault has no recipients, so there is no {act}", where=vault.shown, remedy=remedy)
    return Store.open(project, fleet)


def vault_of(project: Project, fleet: str) -> Vault | None:
    """What the fleet file says under `secrets.vault`. Raises InputError for what is wrong there."""
    path, shown = project.fleet_file(fleet), f"inventory/{fleet}.yml"
    if not path.is_file() or b"vault" not in path.read_bytes():
        return None
    # Only here: what reads fleets takes longer to import than any other task may take to start.
    from hostmuster.model.document import read_document
    from hostmuster.model.explain import check
    from hostmuster.secrets.vault.settings import Stores

    document = read_document(path, shown)
    said = document.data.get("secrets") if isinstance(document.data, dict) else None
    if said is None:
        return None
    stores = check(Stores, said, document.spelled, ("secrets",))
    if isinstance(stores, list):
        raise InputError([Problem(document.where(one.path), one.what, one.remedy) for one in stores])
    return stores.vault


def _way(project: Project, vault: Vault) -> Kv:
    """The way to it. Raises Refused without the extra `vault`, without a token, or where its CA cannot be read."""
    from hostmuster.secrets.vault.token import token

    try:
        import hvac  # noqa: F401 - whether it is there
    except ModuleNotFoundError:
        raise Refused("the fleet's secrets are in a Vault, and hvac is not installed", remedy=_INSTALL) from None
    from hostmuster.secrets.vault.kv import Kv

    verify: bool | str = True
    if vault.ca is not None:
        ca = _file(project, vault.ca)
        if not ca.is_file():
            raise Refused("the CA of the Vault is not there", where=str(ca), remedy="secrets.vault.ca names a PEM file")
        verify = str(ca)
    file = _file(project, vault.token_file) if vault.token_file else None
    return Kv(vault, token(file, os.environ, Path.home()), verify)


def _file(project: Project, path: str) -> Path:
    return project.root / Path(path).expanduser()
