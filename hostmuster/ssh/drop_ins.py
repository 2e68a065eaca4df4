"""The files that sshd and ssh read, from templates/access; those that could lock us out are risky, so armed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hostmuster.model.fleet import Host
from hostmuster.resources.absent import Absent
from hostmuster.resources.after_logins import AfterLogins
from hostmuster.resources.file import File
from hostmuster.resources.if_there import IfThere
from hostmuster.resources.login import Login
from hostmuster.resources.read_first import ReadFirst
from hostmuster.ssh import sshd, trust
from hostmuster.template import Declared, Templated

HOSTS = "/etc/hosts"
CLIENT = "/etc/ssh/ssh_config.d/00-hostmuster.conf"
PATHS = {
    "AUTHORITY": trust.AUTHORITY,
    "HOST_CERTIFICATE": trust.HOST_CERTIFICATE,
    "IDENTITY": trust.IDENTITY,
    "KEYS": sshd.KEYS,
    "KNOWN_HOSTS": trust.KNOWN_HOSTS,
    "OPERATORS": sshd.OPERATORS,
    "PRINCIPALS": trust.PRINCIPALS,
    "REVOKED": trust.REVOKED,
    "USER_CERTIFICATE": trust.USER_CERTIFICATE,
}


def names(domain: str | None, extra_hosts: Mapping[str, tuple[str, ...]]) -> Iterator[Templated]:
    """/etc/hosts, whole."""
    yield Templated(File(HOSTS, b""), "access/hosts.j2", {"domain": domain, "extra_hosts": extra_hosts})


def known(host: Host, service: str, domain: str | None) -> Iterator[Templated]:
    """How this host's ssh knows the others, and as whom its service user comes to them."""
    values = {"domain": domain, "service": service, "paths": PATHS, "ca": trust.authority(host)}
    yield Templated(File(trust.KNOWN_HOSTS, b""), "access/known_hosts.j2", values)
    yield Templated(File(CLIENT, b"", lint="ssh"), "access/ssh.conf.j2", values)


def added(service: str, options: Mapping[str, str], *, trusted: bool = True) -> Iterator[Templated]:
    """Access that is added to what sshd lets in, and the fleet's own options. `trusted`: other hosts come in, too."""
    file = File(sshd.TRUST, b"", validate=(*sshd.CHECK, "-f"), told=sshd.TOLD, lint="sshd", risky=True)
    yield Templated(
        file, "access/sshd.conf.j2", {"service": service, "sshd": options, "paths": PATHS, "trusted": trusted}
    )


def left(service: str, options: Mapping[str, str]) -> Iterator[Declared]:
    """On a host that leaves: root may log in as it was found to, operators as before, hosts of the fleet no more."""
    file = File(sshd.KEYS_ONLY, sshd.keys_only("keep"), validate=(*sshd.CHECK, "-f"), told=sshd.TOLD, risky=True)
    yield IfThere(file)
    yield from added(service, options, trusted=False)
    gone = (CLIENT, trust.KNOWN_HOSTS, trust.AUTHORITY, trust.PRINCIPALS, trust.REVOKED, trust.HOST_CERTIFICATE)
    yield from map(Absent, (*gone, trust.IDENTITY.rpartition("/")[0]))


def narrowed(root_login: str, logins: tuple[Login, ...], *, at_once: bool) -> AfterLogins:
    """Access that is taken away, after the proof (O7)."""
    content = sshd.keys_only(root_login)
    file = File(sshd.KEYS_ONLY, content, validate=(*sshd.CHECK, "-f"), told=sshd.TOLD, lint="sshd", risky=True)
    return AfterLogins(file, logins, at_once)


def read_first(root_login: str, options: Mapping[str, str]) -> Iterator[ReadFirst]:
    """What ours say holds: no other drop-in says otherwise before them."""
    yield ReadFirst(sshd.TRUST, tuple(options.items()))
    yield ReadFirst(sshd.KEYS_ONLY, sshd.for_everybody(root_login))
