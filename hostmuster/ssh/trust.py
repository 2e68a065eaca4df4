"""Hosts trust each other through the fleet's CA (H9): each has a host certificate and a service user with an identity.

A new host is trusted by the others as soon as the CA has signed for it; they need only learn its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hostmuster.errors import Refused
from hostmuster.model.fleet import Host
from hostmuster.resources.certificate import Certificate
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.resource import Resource
from hostmuster.resources.ssh_key import SshKey
from hostmuster.resources.user import User
from hostmuster.ssh.membership import revocation_list
from hostmuster.ssh.sshd import ETC, TOLD

HOST_KEY = "/etc/ssh/ssh_host_ed25519_key"
IDENTITY = f"{ETC}/identity/id_ed25519"
USER_CERTIFICATE = f"{IDENTITY}-cert.pub"
HOST_CERTIFICATE = f"{ETC}/ssh_host_ed25519_key-cert.pub"
AUTHORITY = f"{ETC}/ca.pub"
PRINCIPALS = f"{ETC}/principals"
KNOWN_HOSTS = f"{ETC}/known_hosts"
REVOKED = f"{ETC}/revoked.krl"


@dataclass(frozen=True)
class Validity:
    """Days a certificate is valid when new, and days left below which it is signed anew."""

    days: int
    renew_days: int


def authority(host: Host) -> str:
    """The CA's public line. Raises Refused when the store has none."""
    line = host.fleet.public.get("ssh-ca.pub")
    if line is None:
        raise Refused(
            "the store has no ssh-ca", where=host.fleet.name, remedy="make the store: `hostmuster secrets.init`"
        )
    return line


def trust(host: Host, service: str, home: str, domain: str | None, validity: Validity) -> Iterator[Resource]:
    """The service user, its identity, and the certificates; what makes sshd and ssh heed them is in templates."""
    ca = authority(host)
    mine = host.fleet.membership(host.name)
    label = mine.key_id(host.fleet.name, service)
    names = tuple(filter(None, (host.name, f"{host.name}.{domain}" if domain else "", host.address)))
    yield User(service, home=home, shell="/bin/sh", system=True)  # a login shell, no subprocess
    # Root's own folder: in one of the service user's, root's writes could be led astray by a link.
    yield Directory(f"{ETC}/identity")
    yield SshKey(IDENTITY, label, service, service)
    yield Certificate(USER_CERTIFICATE, f"{IDENTITY}.pub", ca, label, (service,), validity.days, validity.renew_days)
    yield SshKey(HOST_KEY, f"root@{host.name}", make=False)
    yield Certificate(
        HOST_CERTIFICATE,
        f"{HOST_KEY}.pub",
        ca,
        mine.key_id(host.fleet.name),
        names,
        validity.days,
        validity.renew_days,
        host=True,
        told=TOLD,
    )
    yield File(AUTHORITY, f"{ca}\n".encode(), lint="ssh-keys")
    yield File(PRINCIPALS, f"{service}\n".encode())
    if host.fleet.over:
        yield File(REVOKED, revocation_list(revoked_ids(host, service)), validate=("ssh-keygen", "-Qlf"))


def revoked_ids(host: Host, service: str) -> tuple[str, ...]:
    """The key ids of what hosts that left the fleet were certified as."""
    fleet = host.fleet
    return tuple(one.key_id(fleet.name, user) for one in fleet.over for user in ("", service))
