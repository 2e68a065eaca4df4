"""Operators on a host: their users, their keys out of the store, their sudo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from hostmuster.engine.automation import AUTOMATION_KEY
from hostmuster.errors import InputError, Problem
from hostmuster.model.fleet import Host
from hostmuster.resources.authorized_keys import AuthorizedKeys
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.login import Login
from hostmuster.resources.resource import Resource
from hostmuster.resources.roster import Roster
from hostmuster.resources.user import User
from hostmuster.secrets.sshkeys import fingerprint
from hostmuster.ssh.sshd import KEYS, OPERATORS

SUDOERS = f"/etc/sudoers.d/{OPERATORS}"


class Operator(BaseModel):
    """`keys` are names of public keys in the store. `sudo`: `free` asks for no password (operators have none);
    `password`: through Debian's group sudo, for hosts where they have one; `never`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    keys: tuple[str, ...] = Field(min_length=1, examples=[["operator/alice"]])
    sudo: Literal["free", "password", "never"] = "free"


def keys(host: Host, operators: Mapping[str, Operator], revoked: frozenset[str], at_once: bool) -> list[AuthorizedKeys]:
    """Each operator's keys. Raises InputError naming every key that the store does not have."""
    lost = [
        Problem(
            str(host.origin("access", "operators", name, "keys", number)),
            f"the store has no public key `{key}`",
            f"hostmuster secrets.set {key} --fleet {host.fleet.name} < {name}.pub",
        )
        for name, operator in operators.items()
        for number, key in enumerate(operator.keys)
        if f"{key}.pub" not in host.fleet.public
    ]
    if lost:
        raise InputError(lost)
    public = host.fleet.public
    return [
        AuthorizedKeys(name, tuple(public[f"{key}.pub"] for key in operator.keys), revoked, at_once)
        for name, operator in operators.items()
    ]


def people(operators: Mapping[str, Operator], declared: list[AuthorizedKeys]) -> Iterator[Resource]:
    """Users, keys, sudo; last the roster, which locks out whoever is declared no more."""
    yield Directory(KEYS)
    for name, operator in operators.items():
        groups = ("sudo",) if operator.sudo == "password" else ()
        yield User(name, home=f"/home/{name}", shell="/bin/bash", groups=groups)  # a login shell
    yield from declared
    rules = [f"{name} ALL=(ALL:ALL) NOPASSWD: ALL\n" for name, one in operators.items() if one.sudo == "free"]
    header = "# Operators of the fleet, as declared.\n"
    yield File(SUDOERS, "".join([header, *rules]).encode(), "0440", validate=("visudo", "-cqf"), lint="sudoers")
    yield Roster(OPERATORS, tuple(operators))


def logins(host: Host, declared: list[AuthorizedKeys]) -> tuple[Login, ...]:
    """Every login that must be proved before access is narrowed: the automation user's and the operators'."""
    own = fingerprint(host.fleet.public[f"{AUTOMATION_KEY}.pub"])
    path = f"/var/lib/{host.user}-login/.ssh/authorized_keys"
    return (Login(host.user, own, path), *(login for one in declared for login in one.logins))
