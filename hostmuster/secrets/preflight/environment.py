"""The environments that a fleet declares for a service's replicas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

from hostmuster.env.variable import text
from hostmuster.errors import InputError, Problem
from hostmuster.model.fleet import Fleet, Host
from hostmuster.secrets.reader import readers_of, shared_volumes_of

ITEM = "env_files"
_ON, _OFF = frozenset({"true", "1", "yes", "on"}), frozenset({"false", "0", "no", "off", ""})


class EnvironmentFile(BaseModel):
    """What is read here of one; its own item says what else there is."""

    values: dict[str, str | int | bool]
    restarts: tuple[str, ...] = ()


class _Files(BaseModel):
    files: dict[str, EnvironmentFile] = {}


@dataclass(frozen=True)
class Environment:
    """One environment file of one host, which is one replica. `place`: where a variable was declared.

    `given`: variables that its units get from secrets, by the secret's reference; `secrets`: the names of all of them,
    but for the database's password, which is no line of the table.
    `units`: who reads the file. `volume`: the folder that all replicas are said to share.
    """

    host: str
    values: Mapping[str, str]
    place: Callable[[str], str] = field(repr=False, compare=False)
    given: Mapping[str, str] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()
    units: tuple[str, ...] = ()
    volume: str | None = None

    def where(self, variable: str) -> str:
        """The host, the variable, and the line that sets it."""
        declared = f" ({self.place(variable)})" if variable in self.values else ""
        return f"{self.host}, {variable}{declared}"

    def switch(self, variable: str) -> bool:
        """A switch; off where it is not set. Raises InputError for a value that is none."""
        given = self.values.get(variable, "").strip().lower()
        if given not in _ON | _OFF:
            raise _mistake(self.where(variable), "neither true nor false")
        return given in _ON

    def workers(self, variable: str) -> int:
        """A number of processes; 1 where it is not set. Raises InputError for a value that is none."""
        given = self.values.get(variable, "1")
        if not given.isdecimal():
            raise _mistake(self.where(variable), "not a whole number of processes")
        return int(given)

    @property
    def is_one_of_several(self) -> bool:
        """Whether this replica says that it is not the only process (K1)."""
        several = max(self.workers("WEB_CONCURRENCY"), self.workers("UVICORN_WORKERS")) > 1
        return self.switch("BACKEND_MULTI_INSTANCE") or several


def environments_of(fleet: Fleet) -> dict[str, list[Environment]]:
    """By the name of the file, which is one service's on all hosts."""
    found: dict[str, list[Environment]] = {}
    for host in fleet.hosts.values():
        for name, file in files_of(host).items():
            values = {variable: text(value) for variable, value in file.values.items()}
            readers = [one for one in readers_of(host).values() if one.unit in file.restarts]
            given = {variable: secret for one in readers for variable, secret in one.env.items()}
            secrets = frozenset(name for one in readers for name in one.of_table)
            volume = shared_volumes_of(host).get(name)
            one = Environment(host.name, values, _places(host, name), given, secrets, file.restarts, volume)
            found.setdefault(name, []).append(one)
    return found


def files_of(host: Host) -> Mapping[str, EnvironmentFile]:
    """The environment files of a host, by name."""
    try:
        settings = host.settings(ITEM)
    except KeyError:  # a project without that line of the checklist
        return {}
    return _Files.model_validate(settings.model_dump()).files


def _places(host: Host, file: str) -> Callable[[str], str]:
    def place(variable: str) -> str:
        origin = host.origin(ITEM, "files", file, "values", variable)
        return f"{origin.file}:{origin.line}"

    return place


def _mistake(where: str, what: str) -> InputError:
    return InputError([Problem(where, what, "write true or false, or a number")])
