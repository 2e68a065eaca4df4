"""Where the resources of a host's items may lie, and to whom they may belong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from hostmuster.errors import Problem
from hostmuster.lint import systemd
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.link import Link
from hostmuster.resources.resource import Resource
from hostmuster.resources.user import User

ROOTS = (
    "/etc/",
    "/home/",
    "/opt/",
    "/root/",
    "/srv/",
    "/usr/local/",
    "/var/lib/",
    "/var/log/",
    "/var/cache/",
)
"""Where an item may put something."""

SYSTEMS_OWN = re.compile(
    r"/etc/(g?shadow|group|passwd|sudoers|fstab|machine-id|ld\.so\.preload|pam\.d/.*|ssh/ssh_host_[a-z0-9]+_key)-?"
    r"|/root/\.ssh(/.*)?|/var/lib/(dpkg|hostmuster|systemd)(/.*)?"
)
"""What is never a file of an item: who can log in, what boots, what the package manager and hostmuster know."""

DEBIAN_USERS = frozenset(
    (
        "root", "daemon", "bin", "sys", "sync", "games", "man", "lp", "mail", "news", "uucp", "proxy", "www-data",
        "backup", "list", "irc", "_apt", "nobody", "messagebus", "systemd-network", "systemd-timesync", "sshd",
        "_chrony", "adm", "tty", "disk", "sudo", "utmp", "shadow", "staff", "users", "nogroup", "systemd-journal",
        "ssl-cert", "docker", "postgres", "tinyproxy",
    )
)  # fmt: skip
"""Owners and groups that Debian or a declared package makes."""


def outside(placed: Iterable[tuple[str, Resource]]) -> Iterator[Problem]:
    """Paths that no item may write. `placed`: every resource of a host, with where it is declared."""
    for where, resource in _with_path(placed):
        if SYSTEMS_OWN.fullmatch(resource.path):
            what = f"{resource.path} is no file of an item: a wrong one locks everybody out, or breaks the host"
            yield Problem(where, what, "users, keys and sudo rules come from `access`; leave the others to the system")
        elif not resource.path.startswith(ROOTS):
            what = f"{resource.path} is outside what an item may write"
            yield Problem(where, what, f"choose a path under {', '.join(ROOTS)}")


def unowned(placed: Sequence[tuple[str, Resource]]) -> Iterator[Problem]:
    """Owners, groups and services' users that nobody makes. `placed`: as in `outside`."""
    known = DEBIAN_USERS | {resource.name for _, resource in placed if isinstance(resource, User)}
    for where, resource in _with_path(placed):
        for name in set() if isinstance(resource, Link) else {resource.owner, resource.group} - known:
            what = f"{resource.path} is to belong to {name}, whom nobody makes"
            yield Problem(where, what, f"declare User({name!r}) before it, or correct the name")
        if isinstance(resource, File) and resource.lint == "systemd-unit":
            for name in systemd.users(resource.content) - known:
                what = f"{resource.path} runs as {name}, whom nobody makes: it would not start (217/USER)"
                yield Problem(where, what, f"declare User({name!r}), or correct the name")


def _with_path(placed: Iterable[tuple[str, Resource]]) -> Iterator[tuple[str, File | Directory | Link]]:
    yield from ((where, resource) for where, resource in placed if isinstance(resource, File | Directory | Link))
