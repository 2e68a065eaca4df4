"""The automation user, as whom the engine logs in. Bootstrap makes it; the access item keeps it so."""

from __future__ import annotations

from collections.abc import Iterator

from hostmuster.errors import Refused
from hostmuster.model.fleet import Host
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.package import Package
from hostmuster.resources.resource import Resource
from hostmuster.resources.user import User

AUTOMATION_KEY = "automation-key"
"""The secret's name in the store; its public half is `automation-key.pub` among the public values."""


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
    yield File(f"{home}/.ssh/authorized_keys", key, "0644", risky=True)
    password = "" if host.fleet.sudo == "password" else "NOPASSWD: "
    rule = f"Defaults:{name} !requiretty, !use_pty\n{name} ALL=(root) {password}ALL\n"
    yield File(f"/etc/sudoers.d/{name}", rule.encode(), "0440", validate=("visudo", "-cqf"), risky=True)
