"""SSH keys: the CA between hosts, other private keys, and operators' public ones."""

from __future__ import annotations

from hostmuster.secrets import sshkeys
from hostmuster.secrets.kinds.kind import Accepted, Kind, text_of
from hostmuster.secrets.value import Secret


def _private(value: Secret, where: str) -> Accepted:
    private = Secret(text_of(value, where).strip() + "\n")
    return Accepted(private, sshkeys.public_of(private, where))


def _public(value: Secret, where: str) -> Accepted:
    line = sshkeys.public_line(text_of(value, where), where)
    return Accepted(Secret(line), line)


CA = Kind("ssh-ca", confidential=True, has_public=True, check=_private)
KEY = Kind("ssh-key", confidential=True, has_public=True, check=_private)
PUBLIC = Kind("ssh-public", confidential=False, has_public=True, check=_public)
