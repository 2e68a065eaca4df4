"""What readers, issuers and migrations name, held against what the store has: names and kinds, which need no key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hostmuster.errors import InputError, Problem
from hostmuster.model.fleet import Fleet, Host
from hostmuster.secrets.any_store import AnyStore
from hostmuster.secrets.preflight.environment import files_of
from hostmuster.secrets.reader import issuers_of, readers_of, shared_volumes_of
from hostmuster.secrets.reference import name_of, require
from hostmuster.secrets.row_commands import commands_of

_ITEM: Final = "secrets"


def broken(fleet: Fleet, store: AnyStore) -> list[Problem]:
    """Each name that leads nowhere, or to what no service may have; told once, where it is written."""
    return list(dict.fromkeys(problem for host in fleet.hosts.values() for problem in _on(host, store)))


def naming(fleet: Fleet, name: str) -> tuple[str, ...]:
    """Where they name a secret of the store: file and line, each once."""
    found = (where for host in fleet.hosts.values() for secret, where in _named(host) if secret == name)
    return tuple(dict.fromkeys(found))


def _named(host: Host) -> Iterator[tuple[str, str]]:
    yield from ((name_of(reference), where) for reference, where in _read(host))
    for section, names in (("issuers", issuers_of(host)), ("migrations", commands_of(host))):
        for name in names:
            origin = host.origin(_ITEM, section, name)
            yield name, f"{origin.file}:{origin.line}"


def _read(host: Host) -> Iterator[tuple[str, str]]:
    for name, reader in readers_of(host).items():
        for way, given in (("env", reader.env), ("files", reader.files)):
            for into, reference in given.items():
                origin = host.origin(_ITEM, "readers", name, way, into)
                yield reference, f"{origin.file}:{origin.line}"


def _on(host: Host, store: AnyStore) -> Iterator[Problem]:
    for reference, where in _read(host):
        yield from _wrong(store, reference, where)
    for ring in issuers_of(host):
        origin = host.origin(_ITEM, "issuers", ring)
        where = f"{origin.file}:{origin.line}"
        if ring not in store.entries:
            yield Problem(where, f"no secret named `{ring}`", f"secrets.set {ring} --kind rsa-signing-ring --generate")
        elif store.entries[ring].kind.parts is None:
            what = f"{ring} is of kind {store.entries[ring].kind.name}, with which nobody signs"
            yield Problem(where, what, "name a secret of kind rsa-signing-ring")
    for key, commands in commands_of(host).items():
        origin = host.origin(_ITEM, "migrations", key)
        where = f"{origin.file}:{origin.line}"
        if key not in store.entries or store.entries[key].kind.rotation != "migrate":
            yield Problem(where, f"no Fernet key is named `{key}`", f"secrets.set {key} --kind fernet --generate")
        if commands.host not in host.fleet.hosts:
            yield Problem(where, f"no host is named {commands.host}", f"one of: {', '.join(host.fleet.hosts)}")
    for file in shared_volumes_of(host):
        if file not in files_of(host):
            origin = host.origin(_ITEM, "shared_volumes", file)
            what = f"no environment file is named {file} on {host.name}"
            yield Problem(f"{origin.file}:{origin.line}", what, "write the name that env_files.files has")


def _wrong(store: AnyStore, reference: str, where: str) -> Iterator[Problem]:
    try:
        require(store, reference)
    except InputError as error:
        yield from (Problem(where, problem.what, problem.remedy) for problem in error.problems)
