"""Who reads secrets on a host, and as what: a service's environment and its credential files (K2, H1)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Protocol, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from hostmuster.env.file import refusals, render
from hostmuster.errors import InputError, Problem
from hostmuster.model.fleet import Host
from hostmuster.model.types import AbsolutePath, EnvName, RoleName, UnitName, wrong
from hostmuster.resources.file import UNIT_FOLDER
from hostmuster.secrets import ring_text
from hostmuster.secrets.any_store import OURS, AnyStore
from hostmuster.secrets.issuer import Issuer
from hostmuster.secrets.name import check_name

CURRENT: Final = "/var/lib/hostmuster/current"
_FILE = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
DATABASE_PASSWORD: Final = "database-password"  # noqa: S105 - a file's name
"""The file by which a client of the database reads its password."""
PARTS: Final = ("kid", "private_key", "previous")
"""Of a ring: the kid and the key that sign, and all that only verify, in JSON as RUNTIME_RSA_PREVIOUS_KEYS has it."""


def _reference(value: str) -> str:
    name, mark, part = value.partition("#")
    try:
        check_name(name)
    except InputError as error:
        raise wrong(f"`{value[:80]}` names no secret", "write NAME, or NAME#PART for a part of a ring") from error
    if mark and part not in PARTS:
        raise wrong(f"a ring has no part `{part[:40]}`", f"one of: {', '.join(PARTS)}")
    return value


def _file_name(value: str) -> str:
    if not _FILE.fullmatch(value):
        raise wrong(f"`{value[:80]}` is no name for a file here", "lower-case letters, digits, `.`, `_`, `-`")
    return value


def _secret_name(value: str) -> str:
    if "#" in value:
        raise wrong(f"`{value[:80]}` names a part", "write the name of the whole ring")
    return _reference(value)


SecretName = Annotated[str, AfterValidator(_secret_name), Field(examples=["signing"])]
Reference = Annotated[str, AfterValidator(_reference)]
FileName = Annotated[str, AfterValidator(_file_name)]


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
        return frozenset(value.partition("#")[0] for value in (*self.env.values(), *self.files.values()))

    @property
    def of_table(self) -> frozenset[str]:
        """Those that may be a line of K1's table; a database's password is a shared credential, but none of these."""
        return self.secrets - {self.files.get(DATABASE_PASSWORD)}


ReaderName = Annotated[str, AfterValidator(_file_name), Field(examples=["workload"])]


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


def require(store: AnyStore, reference: str) -> None:
    """Raises InputError where the store has nothing of that name that a service may be given; needs no key."""
    name, _, part = reference.partition("#")
    if name not in store.entries:
        raise InputError([Problem(store.where, f"no secret named `{name}`", f"set it: secrets.set {name}")])
    kind = store.entries[name].kind
    if name in OURS:
        raise InputError([Problem("reader", f"{name} is hostmuster's own: no service is given it", "name another one")])
    if (kind.parts is not None) != bool(part):
        what = f"`{reference}`: a secret of kind {kind.name} is read {'by its parts' if kind.parts else 'as a whole'}"
        remedy = f"write {name}#{PARTS[0]} and so on" if kind.parts else f"write {name}"
        raise InputError([Problem("reader", what, remedy)])


def text_of(store: AnyStore, reference: str) -> str:
    """What a reader gets for a reference. Raises InputError as `require`."""
    require(store, reference)
    name, _, part = reference.partition("#")
    text = store.value(name).text()
    return _ring_part(text, part) if part else text


def _ring_part(text: str, part: str) -> str:
    ring = ring_text.parsed(text, "the ring")
    match part:
        case "kid":
            return ring.current.kid
        case "private_key":
            return ring.current.private.text()
    previous: list[Mapping[str, str]] = [{"kid": key.kid, "private_key": key.private.text()} for key in ring.verifying]
    return json.dumps(previous)
