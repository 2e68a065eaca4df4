"""The fleet file's tree before it is known to be right: each part as far as it has the right shape.

So that checks between parts still run when another part is wrong, and all mistakes come out at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from hostmuster.model.document import Document, KeyPath
from hostmuster.model.settings import Layer


@dataclass(frozen=True)
class Level:
    """One place where settings, `observe` and `not_required` may stand: the fleet, a role or a host."""

    name: str
    at: KeyPath
    data: Mapping[str, JsonValue]

    @property
    def items(self) -> tuple[str, ...]:
        """The items whose settings stand here, of whatever shape."""
        return tuple(as_mapping(self.data.get("settings")))

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """Settings by item, those that are mappings."""
        settings = as_mapping(self.data.get("settings"))
        return {item: value for item, value in settings.items() if isinstance(value, dict)}

    @property
    def observe(self) -> tuple[str, ...]:
        """The items that only look here."""
        return as_texts(self.data.get("observe"))

    @property
    def not_required(self) -> tuple[str, ...]:
        """The items without which a host enters service here."""
        return as_texts(self.data.get("not_required"))

    def layer(self, document: Document) -> Layer:
        """This level's settings as one layer to merge."""
        return Layer(self.name, self.settings, document, (*self.at, "settings"))


@dataclass(frozen=True)
class RawFleet:
    """The document, read as a fleet wherever its shape allows."""

    document: Document

    @property
    def top(self) -> Mapping[str, JsonValue]:
        return as_mapping(self.document.data)

    @property
    def hosts(self) -> Mapping[str, JsonValue]:
        return as_mapping(self.top.get("hosts"))

    @property
    def roles(self) -> Mapping[str, JsonValue]:
        return as_mapping(self.top.get("roles"))

    def roles_of(self, host: str) -> tuple[str, ...]:
        """The roles a host names, declared or not."""
        return as_texts(as_mapping(self.hosts.get(host)).get("roles"))

    def fleet_level(self) -> Level:
        return Level("fleet", (), self.top)

    def role_level(self, role: str) -> Level:
        return Level(f"role {role}", ("roles", role), as_mapping(self.roles.get(role)))

    def host_level(self, host: str) -> Level:
        return Level(f"host {host}", ("hosts", host), as_mapping(self.hosts.get(host)))

    def levels(self) -> list[Level]:
        """Every level of the file, in its order."""
        return [self.fleet_level(), *map(self.role_level, self.roles), *map(self.host_level, self.hosts)]

    def levels_of(self, host: str) -> list[Level]:
        """The levels that make a host, the last winning: fleet, its roles in the host's order, itself."""
        roles = [self.role_level(role) for role in dict.fromkeys(self.roles_of(host)) if role in self.roles]
        return [self.fleet_level(), *roles, self.host_level(host)]


def as_mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_texts(value: JsonValue) -> tuple[str, ...]:
    """The texts in the value if it is a list, else none."""
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
