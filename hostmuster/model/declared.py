"""A fleet file read and checked as a whole: declarations, settings, and every mistake said at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError

from hostmuster.errors import InputError, Problem, Refused
from hostmuster.model.address import addresses_in
from hostmuster.model.consistency import inconsistencies
from hostmuster.model.declaration import FleetDeclaration, HostDeclaration, RoleDeclaration
from hostmuster.model.document import KeyPath, read_document
from hostmuster.model.explain import check
from hostmuster.model.raw import RawFleet
from hostmuster.model.resolve import Resolved, Resolver, Schemas
from hostmuster.model.types import FleetName
from hostmuster.project import Project, fleet_text

_Model = TypeVar("_Model", bound=BaseModel)
_NAME: TypeAdapter[str] = TypeAdapter(FleetName)


@dataclass(frozen=True)
class Declared:
    """A fleet file without mistakes. By host, `observed`: the items that only look there; `optional`: those without
    which it enters service."""

    fleet: FleetDeclaration
    hosts: Mapping[str, HostDeclaration]
    observed: Mapping[str, frozenset[str]]
    optional: Mapping[str, frozenset[str]]
    resolved: Mapping[str, Resolved]
    places: Mapping[str, str]
    """By host, the file and line of its entry."""
    addresses: frozenset[str]
    """Every IPv4 address that the file names, for whatever."""


def read_declared(
    project: Project, name: str, schemas: Schemas | None, for_roles: Mapping[str, frozenset[str]]
) -> Declared:
    """See load_fleet. Raises InputError with all mistakes; Refused when there is no such fleet."""
    path = existing(project, name)
    raw = RawFleet(read_document(path, f"inventory/{name}.yml"))
    desk = _Desk(raw, list(raw.document.problems))
    top = desk.read(FleetDeclaration, _with_hosts(raw.document.data), ())
    for role in raw.roles:
        desk.read(RoleDeclaration, raw.roles[role], ("roles", role))
    hosts = {host: desk.read(HostDeclaration, raw.hosts[host], ("hosts", host)) for host in raw.hosts}
    resolver = Resolver(raw, schemas, for_roles, project.root)
    resolved = {host: resolver.resolve(host) for host in raw.hosts}
    problems = [*desk.problems, *inconsistencies(raw, name, schemas), *resolver.problems()]
    complete = {host: declaration for host, declaration in hosts.items() if declaration}
    if problems or top is None or len(complete) < len(hosts):
        raise InputError(sorted(dict.fromkeys(problems), key=_line))
    observed = {host: frozenset(item for level in raw.levels_of(host) for item in level.observe) for host in hosts}
    optional = {host: frozenset(i for level in raw.levels_of(host) for i in level.not_required) for host in hosts}
    places = {host: raw.document.where(("hosts", host)) for host in hosts}
    return Declared(top, complete, observed, optional, resolved, places, addresses_in(raw.document.data))


def _with_hosts(data: JsonValue) -> JsonValue:
    """An empty `hosts:` is an empty fleet, said so elsewhere, and not a wrong type."""
    return {**data, "hosts": {}} if isinstance(data, dict) and data.get("hosts", {}) is None else data


def fleets(project: Project) -> tuple[str, ...]:
    """The names of the fleets a project declares."""
    return tuple(sorted(path.stem for path in (project.root / "inventory").glob("*.yml")))


def require_name(name: str) -> None:
    """Raises Refused for what no fleet can be named: it comes from a command line and becomes a path."""
    try:
        _NAME.validate_python(fleet_text(name))
    except ValidationError as error:
        details = error.errors()[0].get("ctx", {})
        raise Refused(str(details["what"]), where="--fleet", remedy=str(details["remedy"])) from error


def existing(project: Project, name: str) -> Path:
    """The fleet's file. Raises Refused, with the closest name, where the project declares no such fleet."""
    require_name(name)
    path = project.fleet_file(name)
    if not path.exists():
        listed = fleets(project)
        close = "".join(f"did you mean `{one}`? " for one in get_close_matches(name, listed, n=1))
        raise Refused(
            f"there is no fleet `{name}`",
            where=f"inventory/{name}.yml",
            remedy=f"{close}name one of: {', '.join(listed) or 'none'}; "
            f"or copy inventory/example.yml to inventory/{name}.yml",
        )
    return path


def _line(problem: Problem) -> int:
    number = problem.where.rpartition(":")[2]
    return int(number) if number.isdigit() else 0


@dataclass(frozen=True)
class _Desk:
    """Reads parts of the file one by one and collects what is wrong with each."""

    raw: RawFleet
    problems: list[Problem]

    def read(self, model: type[_Model], data: JsonValue, at: KeyPath) -> _Model | None:
        """The part as its model; None, with the mistakes kept, when it is not one."""
        document = self.raw.document
        result = check(model, data, document.spelled, at)
        if not isinstance(result, list):
            return result
        for complaint in result:
            if not document.is_spoiled(complaint.path):
                self.problems.append(Problem(document.where(complaint.path), complaint.what, complaint.remedy))
        return None
