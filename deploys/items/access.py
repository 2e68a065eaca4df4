"""Operators, the automation user and the service user log in by key; hosts trust each other by one CA."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, cast

from pydantic import BaseModel, ConfigDict, model_validator

from hostmuster.effects import access as proofs
from hostmuster.effects import service
from hostmuster.engine.automation import automation
from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.model.types import AbsolutePath, UserName, wrong
from hostmuster.resources.authorized_keys import AuthorizedKeys
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.hostname import Hostname
from hostmuster.ssh import drop_ins, people
from hostmuster.ssh.sshd import ETC
from hostmuster.ssh.trust import Validity, revoked_ids, trust
from hostmuster.ssh.types import Address, Days, DnsName, Fingerprint, OperatorName, SshdKeyword, SshdValue
from hostmuster.template import Declared


class Settings(BaseModel):
    """`narrow`: whether old access waits for proof that the new one works (O7). See docs/items/access.md."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    operators: dict[OperatorName, people.Operator] = {}
    narrow: Literal["after_proof", "at_once"] = "after_proof"
    root_login: Literal["off", "keep"] = "off"
    revoked: tuple[Fingerprint, ...] = ()
    service: UserName = "service"
    service_home: AbsolutePath = "/home/service"
    certificate_days: Days = 365
    renew_days: Days = 90
    domain: DnsName | None = None
    extra_hosts: dict[Address, tuple[DnsName, ...]] = {}
    sshd: dict[SshdKeyword, SshdValue] = {}

    @model_validator(mode="after")
    def _some_days_between(self) -> Settings:
        if self.renew_days >= self.certificate_days:
            raise wrong("renew_days is not below certificate_days", "else each apply would sign anew")
        return self


ITEM = Item("access", settings=Settings)


def resources(host: Host) -> Iterator[Declared]:
    """Names first, then users and keys, then trust, then what sshd lets in; last of all what it no longer does."""
    want = _settings(host)
    yield from drop_ins.names(want.domain, want.extra_hosts)
    yield File("/etc/hostname", f"{host.name}\n".encode())
    yield Hostname(host.name)
    yield from automation(host)
    yield Directory(ETC)
    declared = _keys(host)
    yield from people.people(want.operators, declared)
    validity = Validity(want.certificate_days, want.renew_days)
    yield from trust(host, want.service, want.service_home, want.domain, validity)
    yield from drop_ins.known(host, want.service, want.domain)
    yield from drop_ins.added(want.service, want.sshd)
    yield from drop_ins.read_first(want.root_login, want.sshd)
    logins = people.logins(host, declared)
    yield drop_ins.narrowed(want.root_login, logins, at_once=want.narrow == "at_once")


def leaving(host: Host) -> Iterator[Declared]:
    """No other host is trusted or known there any more, and operators keep their access."""
    want = _settings(host)
    yield from drop_ins.left(want.service, want.sshd)


def effects(host: Host) -> Iterator[Effect]:
    """What sshd lets in, the host's name, that names need no DNS, and that a neighbour answers the service user."""
    want = _settings(host)
    logins = people.logins(host, _keys(host))
    yield proofs.only_declared_keys(logins, at_once=want.narrow == "at_once", root_login=want.root_login)
    yield proofs.authority_for(want.service)
    yield proofs.certificates_valid()
    yield service.hostname(host.name)
    yield proofs.own_name()
    if host.fleet.over:
        yield proofs.left_stay_out(revoked_ids(host, want.service), want.service)
    yield from proofs.neighbour_answers(host, want.service)


def _settings(host: Host) -> Settings:
    return cast("Settings", host.settings(ITEM.name))


def _keys(host: Host) -> list[AuthorizedKeys]:
    want = _settings(host)
    return people.keys(host, want.operators, frozenset(want.revoked), want.narrow == "at_once")
