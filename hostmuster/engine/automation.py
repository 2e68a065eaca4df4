"""The automation user, as whom the engine logs in. Bootstrap makes it; the access item keeps it so."""

from __future__ import annotations

from collections.abc import Iterator

from hostmuster.errors import Refused
from hostmuster.model.fleet import Host
from hostmuster.resources.absent import Absent
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.no_user import NoUser
from hostmuster.resources.package import Package
from hostmuster.resources.resource import Resource
from hostmuster.resources.user import User

AUTOMATION_KEY = "automation-key"
"""The secret's name in the store; its public half is `automation-key.pub` among the public values."""


def no_automation(host: Host) -> Iterator[Resource]:
    """Nothing of it is left."""
    yield Absent(f"/etc/sudoers.d/{host.user}", keep=True)
    yield Absent(_keys(host), keep=True)
    yield Absent(_home(host))
    yield NoUser(host.user)


def _home(host: Host) -> str:
    return f"/var/lib/{host.user}-login"


def _keys(host: Host) -> str:
    return f"{_home(host)}/.ssh/authorized_keys"


def automation(host: Host) -> Iterator[Resource]:
    """The user, its one key, and its sudo rule. Raises Refused when the store has no automation key yet."""
    if f"{AUTOMATION_KEY}.pub" not in host.fleet.public:
        raise Refused(
            "the store has no automation key",
            where=host.fleet.name,
            remedy="make the store: `hostmuster secrets.init`",
        )
    name, home = host.user, f"/var/lib/{host.user}-login"
    yield Package("sudo")
    yield User(name, home=home, shell="/bin/sh", system=True)
    yield Directory(home, "0755")
    # Root owns the keys: who logs in as the automation user cannot leave a second key behind.
    yield Directory(f"{home}/.ssh", "0755")
    key = f"{host.fleet.public[f'{AUTOMATION_KEY}.pub']}\n".encode()
    yield File(f"{home}/.ssh/authorized_keys", key, "0644", lint="ssh-keys", risky=True)
    password = "" if host.fleet.sudo == "password" else "NOPASSWD: "
    rule = f"Defaults:{name} !requiretty, !use_pty\n{name} ALL=(root) {password}ALL\n"
    check = ("visudo", "-cqf")
    yield File(f"/etc/sudoers.d/{name}", rule.encode(), "0440", validate=check, lint="sudoers", risky=True)
