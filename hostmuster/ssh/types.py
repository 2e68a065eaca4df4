"""Field types of the access item's settings: names of operators, fingerprints, sshd's own options, names of hosts."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from hostmuster.engine.placement import DEBIAN_USERS
from hostmuster.model.types import UserName, matching, wrong

_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
_DNS_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")
_KEYWORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_OURS = {
    "permitrootlogin": "root_login says it",
    "passwordauthentication": "passwords go once every declared key has logged in",
    "kbdinteractiveauthentication": "passwords go once every declared key has logged in",
    "authorizedkeysfile": "declare operators instead",
    "trustedusercakeys": "the fleet's CA is for the service user",
    "authorizedprincipalsfile": "the fleet's CA is for the service user",
    "hostcertificate": "each host has one by the fleet's CA",
    "match": "an option here holds for everybody; a file of your own beside ours may have blocks",
    "include": "a file of your own beside ours is read anyway",
}


def _operator(name: str) -> str:
    if name in DEBIAN_USERS:
        raise wrong(f"`{name}` is a user of Debian's own", "an operator is a person: give them a user of their own")
    return name


def _address(value: str) -> str:
    try:
        return str(ip_address(value))
    except ValueError as error:
        raise wrong(f"`{value[:60]}` is no IP address", "write address: [name, name]") from error


def _keyword(value: str) -> str:
    if not _KEYWORD.fullmatch(value):
        raise wrong(f"`{value[:60]}` is no option of sshd", "write its keyword as in sshd_config(5)")
    if value.lower() in _OURS:
        raise wrong(f"`{value}` is declared by this item itself", _OURS[value.lower()])
    return value


def _value(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise wrong("an option of sshd is text or a number", 'write it in quotes, as in "no"')
    if not str(value).isprintable() or not str(value).strip() or "#" in str(value):
        raise wrong("an option of sshd that is empty, has a `#` or more than one line", "write one line")
    return str(value).strip()


OperatorName = Annotated[UserName, AfterValidator(_operator)]
"""A person's user: none that Debian makes."""
Fingerprint = Annotated[
    str, matching(_FINGERPRINT, "no key's fingerprint", "as ssh-keygen -l shows it: SHA256: and 43 characters")
]
"""A key's, as ssh-keygen shows it."""
DnsName = Annotated[
    str,
    matching(_DNS_NAME, "no DNS name", "lower-case labels of a-z, 0-9 and `-`, joined by dots"),
    Field(examples=["example.org"]),
]
"""A domain or a host's name."""
Address = Annotated[str, AfterValidator(_address), Field(examples=["192.0.2.40"])]
"""IPv4 or IPv6, in its short form."""
SshdKeyword = Annotated[str, AfterValidator(_keyword), Field(examples=["MaxAuthTries"])]
"""An option of sshd_config(5) that is not this item's own business."""
SshdValue = Annotated[str, BeforeValidator(_value), Field(examples=["4"])]
"""Its value, one line."""
Days = Annotated[int, Field(ge=1, le=3660, examples=[365])]
"""A duration in days."""
