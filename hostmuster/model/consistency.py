"""What no part of a fleet file can see alone: names that must agree, addresses that must differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address
from typing import Final

from pydantic import TypeAdapter, ValidationError

from hostmuster.errors import Problem
from hostmuster.model.address import HostAddress
from hostmuster.model.explain import suggestion
from hostmuster.model.raw import RawFleet, as_mapping

SSH: Final = 22
_ADDRESS: TypeAdapter[str] = TypeAdapter(HostAddress)


def inconsistencies(raw: RawFleet, name: str, items: Iterable[str] | None) -> Iterator[Problem]:
    """Every contradiction between the parts of the file; `items`: the checklist's names, None unknown."""
    yield from _name(raw, name)
    yield from _roles(raw)
    yield from _addresses(raw)
    if items is not None:
        yield from _items(raw, sorted(items))
    if "hosts" in raw.top and not raw.hosts and isinstance(raw.top["hosts"], dict | None):
        yield Problem(
            raw.document.where(("hosts",)),
            "the fleet has no hosts",
            "declare one: hosts: {worker-1: {address: 192.0.2.11, debian: 12, roles: [worker]}}",
        )


def _name(raw: RawFleet, name: str) -> Iterator[Problem]:
    said = raw.top.get("fleet")
    if isinstance(said, str) and said != name:
        yield Problem(
            raw.document.where(("fleet",)),
            f"the fleet is called `{said}`, its file {name}.yml",
            f"write `fleet: {name}`, or rename the file to {said}.yml",
        )


def _roles(raw: RawFleet) -> Iterator[Problem]:
    held: set[str] = set()
    for host in raw.hosts:
        roles = raw.roles_of(host)
        held.update(roles)
        for position, role in enumerate(roles):
            where = raw.document.where(("hosts", host, "roles", position))
            if role not in raw.roles:
                yield Problem(
                    where,
                    f"the host {host} has the role `{role}`, which is not declared",
                    f"declare it under roles (`{role}: {{}}`), or {suggestion(role, raw.roles)}",
                )
            elif role in roles[:position]:
                yield Problem(where, f"the host {host} has the role `{role}` twice", "name it once")
    for role in raw.roles:
        if role not in held and raw.hosts:
            yield Problem(
                raw.document.where(("roles", role)),
                f"no host has the role `{role}`",
                "give it to a host (roles: [...]), or remove it",
            )


def _addresses(raw: RawFleet) -> Iterator[Problem]:
    first: dict[tuple[str, object], str] = {}
    for host in raw.hosts:
        declared = as_mapping(raw.hosts[host])
        try:
            address = _ADDRESS.validate_python(declared.get("address"))
        except ValidationError:
            continue  # said where the host itself is checked
        end = (address, declared.get("port", SSH))
        if len(raw.hosts) > 1 and IPv4Address(address).is_loopback and end[1] == SSH:
            yield Problem(
                raw.document.where(("hosts", host, "address")),
                f"the host {host} has the address {address}, by which every host reaches itself",
                "write the address by which the others reach it; one behind a forwarded port has a `port` of its own",
            )
        other = first.setdefault(end, host)
        if other != host:
            line = raw.document.line(("hosts", other, "address"))
            yield Problem(
                raw.document.where(("hosts", host, "address")),
                f"the host {host} has the address {end[0]} port {end[1]} of {other} (line {line})",
                "give each host its own address, or its own port behind one address",
            )


def _items(raw: RawFleet, items: list[str]) -> Iterator[Problem]:
    for level in raw.levels():
        for item in level.items:
            if item not in items:
                yield Problem(
                    raw.document.where((*level.at, "settings", item)),
                    f"settings of the {level.name} name `{item}`, which is no item of the checklist",
                    suggestion(item, items),
                )
        for key, named in (("observe", level.observe), ("not_required", level.not_required)):
            for position, item in enumerate(named):
                if item not in items:
                    yield Problem(
                        raw.document.where((*level.at, key, position)),
                        f"{key} of the {level.name} names `{item}`, which is no item of the checklist",
                        suggestion(item, items),
                    )
