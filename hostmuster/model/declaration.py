"""The fleet file's shape, as a person writes it. A new section is one more model and one field here."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from hostmuster.model.address import HostAddress
from hostmuster.model.drilling import Drilling
from hostmuster.model.types import FleetName, HostName, Port, RoleName, UserName, wrong
from hostmuster.secrets.vault.settings import Stores

Settings = dict[str, dict[str, JsonValue]]
"""Settings by item; each item's own model checks them once the levels are merged."""


def _not_root(value: str) -> str:
    if value == "root":
        raise wrong(
            "root cannot be the automation user",
            "name an ordinary user; bootstrap makes it and its sudo rule",
        )
    return value


class Declaration(BaseModel):
    """What all parts of the file share: unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RoleDeclaration(Declaration):
    """What is the same for all hosts of a role."""

    settings: Settings = {}
    observe: tuple[str, ...] = ()
    not_required: tuple[str, ...] = ()


class HostDeclaration(Declaration):
    """One host: how to reach it, its Debian release, its roles (their order is the order of merging)."""

    address: HostAddress
    port: Port = 22
    debian: Literal[12, 13] = Field(examples=[12])
    roles: tuple[RoleName, ...] = Field(min_length=1, examples=[["worker"]])
    settings: Settings = {}
    observe: tuple[str, ...] = ()
    not_required: tuple[str, ...] = ()


class FleetDeclaration(Declaration):
    """The whole file.

    `lab`: a throwaway fleet, so no typed confirmations. `lease_s`: seconds after which a run that says nothing
    more no longer keeps others off a host. `silence_s`: seconds after which a host that says nothing hangs.
    `user`: the automation user that bootstrap makes. `sudo`: whether that user's sudo asks for a password (`none` =
    it does not). `confirm_s`: seconds an armed change waits for its confirmation over a new connection before it
    reverts. `secrets`: where they are, if not in the SOPS file (docs/secrets.md). `drills`: what drills go by
    (docs/drills.md). `observe`: items that only look (O4). `not_required`: items without which a host enters service.
    `hosts` and `roles` are read one by one, so that one mistake does not hide the others.
    """

    fleet: FleetName
    lab: bool = False
    user: Annotated[UserName, AfterValidator(_not_root)] = "hostmuster"
    sudo: Literal["none", "password"] = "none"
    confirm_s: int = Field(default=60, ge=5, le=3600)
    lease_s: int = Field(default=120, ge=2, le=3600)
    silence_s: int = Field(default=30, ge=5, le=600)
    secrets: Stores = Stores()
    settings: Settings = {}
    observe: tuple[str, ...] = ()
    not_required: tuple[str, ...] = ()
    drills: Drilling = Drilling()
    roles: dict[RoleName, JsonValue] = Field(examples=["{worker: {}}"])
    hosts: dict[HostName, JsonValue] = Field(
        examples=["{worker-1: {address: 192.0.2.11, debian: 12, roles: [worker]}}"]
    )
