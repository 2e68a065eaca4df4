"""The fleets that a project's inventory declares, each read as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hostmuster.model.declared import Declared, read_declared
from hostmuster.model.fleet import Fleet, Host
from hostmuster.model.lab_size import chosen_size
from hostmuster.model.resolve import Schemas
from hostmuster.project import Project
from hostmuster.secrets.sealed import Sealed
from hostmuster.ssh.known_hosts import KnownHosts

_NOTHING: Mapping[str, str] = MappingProxyType({})
_NO_SECRETS: Mapping[str, Sealed] = MappingProxyType({})
_EVERY_ROLE: Mapping[str, frozenset[str]] = MappingProxyType({})


def load_fleet(
    project: Project,
    name: str,
    schemas: Schemas | None,
    *,
    for_roles: Mapping[str, frozenset[str]] = _EVERY_ROLE,
    public: Mapping[str, str] = _NOTHING,
    secrets: Mapping[str, Sealed] = _NO_SECRETS,
    count: int | None = None,
    pins: KnownHosts | None = None,
) -> Fleet:
    """The fleet declared in inventory/NAME.yml.

    `schemas`: every item of the checklist, with the model of its settings; None leaves settings unread.
    `for_roles`: the roles an item is for, where it is not for all; a host without them need not have the
    item's settings. `public` and `secrets`: see Fleet. `count`: hosts to run (see Fleet.first); None takes the size
    the lab runs with, else the file's own. `pins`: the fleet's pins, by which hosts that left it are left out.
    Raises InputError with ALL mistakes, each with its line and what to write instead.
    """
    declared = read_declared(project, name, schemas, for_roles)
    fleet = _fleet(declared, public, secrets, project)
    size = count if count is not None else chosen_size(project, name) if fleet.lab else None
    whole = fleet if size is None else fleet.first(size, declared.addresses)
    return whole if pins is None else whole.after(pins, declared.places)


def _fleet(declared: Declared, public: Mapping[str, str], secrets: Mapping[str, Sealed], project: Project) -> Fleet:
    top = declared.fleet
    hosts: dict[str, Host] = {}
    fleet = Fleet(
        name=top.fleet,
        lab=top.lab,
        user=top.user,
        sudo=top.sudo,
        confirm_s=top.confirm_s,
        lease_s=top.lease_s,
        silence_s=top.silence_s,
        drilling=top.drills,
        hosts=MappingProxyType(hosts),
        public=MappingProxyType(dict(public)),
        project=project,
        secrets=MappingProxyType(dict(secrets)),
    )
    for name, host in declared.hosts.items():
        hosts[name] = Host(
            name=name,
            address=host.address,
            port=host.port,
            debian=host.debian,
            roles=host.roles,
            observed=declared.observed[name],
            optional=declared.optional[name],
            fleet=fleet,
            resolved=declared.resolved[name],
        )
    return fleet
