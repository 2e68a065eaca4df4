"""Who reads secrets on a host, and as what: a service's environment and its credential files (K2, H1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Protocol, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hostmuster.env.file import refusals, render
from hostmuster.errors import InputError, Problem
from hostmuster.model.fleet import Host
from hostmuster.model.types import AbsolutePath, EnvName, RoleName, UnitName, matching, wrong
from hostmuster.resources.file import UNIT_FOLDER
from hostmuster.secrets.any_store import AnyStore
from hostmuster.secrets.issuer import Issuer
from hostmuster.secrets.reference import Reference, name_of, text_of

CURRENT: Final = "/var/lib/hostmuster/current"
_FILE = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
DATABASE_PASSWORD: Final = "database-password"  # noqa: S105 - a file's name
"""The file by which a client of the database reads its password."""
_FILE_NAME = matching(_FILE, "no name for a file here", "lower-case letters, digits, `.`, `_`, `-`", shown=80)
FileName = Annotated[str, _FILE_NAME]


class Reader(BaseModel):
    """A systemd service. `env`: variables, by secret; `files`: credentials below $CREDENTIALS_DIRECTORY, by secret.

    PID 1 reads both at each start, so the service's user needs no way into the generation. `beside`: only in a fleet
    that has hosts of this role, as a lab of fewer hosts has not. `reloads`: the unit's own process of root's reads its
    files where they lie, anew at each reload, and is owed no restart. `timed`: a timer starts it, again and again; its
    next run is soon enough, and waits for no peers.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    unit: UnitName
    env: dict[EnvName, Reference] = {}
    files: dict[FileName, Reference] = {}
    beside: RoleName | None = None
    reloads: bool = False
    timed: bool = False

    @model_validator(mode="after")
    def _reads_something(self) -> Reader:
        if self.reloads and self.env:
            raise wrong("what reloads reads no variables anew", "name its secrets under `files` alone")
        if not self.env and not self.files:
            raise wrong("it reads nothing", "name secrets under `env` or `files`, or leave the reader out")
        return self

    @property
    def secrets(self) -> frozenset[str]:
        """The names of what it reads."""
        return frozenset(map(name_of, (*self.env.values(), *self.files.values())))

    @property
    def of_table(self) -> frozenset[str]:
        """Those that may be a line of K1's table; a database's password is a shared credential, but none of these."""
        return self.secrets - {self.files.get(DATABASE_PASSWORD)}


ReaderName = Annotated[str, _FILE_NAME, Field(examples=["workload"])]


class _Settings(Protocol):
    readers: Mapping[str, Reader]
    issuers: Mapping[str, Issuer]
    shared_volumes: Mapping[str, AbsolutePath]


def readers_of(host: Host) -> Mapping[str, Reader]:
    """Who reads secrets on a host, by the settings of the item secrets; nobody where it is not on the checklist."""
    declared = host.resolved.models.get("secrets")
    readers = cast("_Settings", declared).readers if declared is not None else {}
    return {name: one for name, one in readers.items() if _is_here(one, host)}


def issuers_of(host: Host) -> Mapping[str, Issuer]:
    """By ring, how the service of a host that signs with it is asked."""
    declared = host.resolved.models.get("secrets")
    issuers = cast("_Settings", declared).issuers if declared is not None else {}
    return {name: one for name, one in issuers.items() if _is_here(one, host)}


def _is_here(one: Reader | Issuer, host: Host) -> bool:
    return one.beside is None or bool(host.fleet.with_role(one.beside))


def shared_volumes_of(host: Host) -> Mapping[str, AbsolutePath]:
    """By environment file, the folder of a host in which its readers keep what all replicas are to see (K1)."""
    declared = host.resolved.models.get("secrets")
    return cast("_Settings", declared).shared_volumes if declared is not None else {}


def drop_in(name: str, reader: Reader) -> str:
    """The path of the reader's drop-in."""
    return f"{UNIT_FOLDER}{reader.unit}.d/hostmuster-{name}.conf"


def drop_ins(host: Host, unit: str) -> tuple[str, ...]:
    """The drop-ins by which secrets reach a unit of the host."""
    readers = readers_of(host).items()
    return tuple(drop_in(name, one) for name, one in readers if one.unit == unit and not one.reloads)


def variables(host: Host, unit: str) -> frozenset[str]:
    """The variables that a unit of the host gets from secrets."""
    return frozenset(name for one in readers_of(host).values() if one.unit == unit for name in one.env)


def paths(name: str, reader: Reader) -> Iterator[str]:
    """Its files in a generation."""
    if reader.env:
        yield f"{name}.env"
    yield from (f"{name}/{file}" for file in reader.files)


def directives(name: str, reader: Reader) -> Iterator[str]:
    """What the unit's drop-in says of secrets (systemd.exec(5))."""
    if reader.env:
        yield f"EnvironmentFile={CURRENT}/{name}.env"
    for file in reader.files:
        yield f"LoadCredential={file}:{CURRENT}/{name}/{file}"


def contents(name: str, reader: Reader, store: AnyStore) -> Iterator[tuple[str, bytes]]:
    """Its files in a generation: path and content.

    Raises InputError, without a value: a secret that there is not, a value that the environment cannot carry.
    """
    values = {variable: text_of(store, reference) for variable, reference in reader.env.items()}
    if problems := list(refusals("systemd", values)):
        what = f"systemd cannot carry: {'; '.join(problems)}"
        raise InputError([Problem(f"reader {name}", what, "hand it over as a file: `files`")])
    if values:
        yield f"{name}.env", render("systemd", values)
    for file, reference in reader.files.items():
        yield f"{name}/{file}", text_of(store, reference).encode()
