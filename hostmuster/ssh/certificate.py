"""OpenSSH certificates: reading what one says, and signing a new one (OpenSSH's PROTOCOL.certkeys)."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    SSHCertificate,
    SSHCertificateBuilder,
    SSHCertificateType,
    load_ssh_private_key,
    load_ssh_public_identity,
)

from hostmuster.errors import Refused
from hostmuster.secrets.value import Secret

BACKDATED_S = 3600
"""A peer whose clock is behind takes the certificate too, up to this many seconds."""


@dataclass(frozen=True)
class Certified:
    """What a certificate says. Keys are OpenSSH's two words without a comment; times are seconds since 1970."""

    key: str
    ca: str
    host: bool
    key_id: str
    principals: frozenset[str]
    begins: int
    ends: int
    limits: frozenset[str]
    """Critical options and extensions, by name: ours have none, so a login gets no terminal and no forwarding."""

    @classmethod
    def read(cls, text: str) -> Certified | None:
        """None where the text is no certificate, or its signature is not that of the CA it names."""
        try:
            identity = load_ssh_public_identity(text.encode())
            if not isinstance(identity, SSHCertificate):
                return None
            identity.verify_cert_signature()
        except (ValueError, UnsupportedAlgorithm, InvalidSignature):
            return None
        return cls(
            key=_line(identity.public_key()),
            ca=_line(identity.signature_key()),
            host=identity.type is SSHCertificateType.HOST,
            key_id=identity.key_id.decode("utf-8", "replace"),
            principals=frozenset(name.decode("utf-8", "replace") for name in identity.valid_principals),
            begins=identity.valid_after,
            ends=identity.valid_before,
            limits=frozenset(n.decode("utf-8", "replace") for n in [*identity.critical_options, *identity.extensions]),
        )


def sign(
    ca: Secret, public_key: str, *, key_id: str, principals: tuple[str, ...], ends: int, now: int, host: bool
) -> bytes:
    """One line: a certificate for a public key, valid until `ends`. Raises Refused for a key that is none."""
    authority = load_ssh_private_key(ca.reveal(), password=None)
    try:
        key = load_ssh_public_identity(public_key.encode())
    except (ValueError, UnsupportedAlgorithm) as error:
        raise Refused(
            f"the public key for {key_id} is damaged", remedy="remove the pair there; it is made anew"
        ) from error
    if not isinstance(key, Ed25519PublicKey | RSAPublicKey | EllipticCurvePublicKey):
        raise Refused(f"the public key for {key_id} is a certificate or of a kind no certificate is made for")
    if not isinstance(authority, Ed25519PrivateKey | RSAPrivateKey | EllipticCurvePrivateKey):
        raise Refused(
            "the store's ssh-ca is of a kind that cannot sign", remedy="set it anew: `hostmuster secrets.set`"
        )
    certificate = (
        SSHCertificateBuilder()
        .public_key(key)
        .serial(secrets.randbits(63))
        .type(SSHCertificateType.HOST if host else SSHCertificateType.USER)
        .key_id(key_id.encode())
        .valid_principals([name.encode() for name in principals])
        .valid_after(now - BACKDATED_S)
        .valid_before(ends)
        .sign(authority)
    )
    return certificate.public_bytes() + f" {key_id}\n".encode()


def _line(key: Ed25519PublicKey | RSAPublicKey | EllipticCurvePublicKey | object) -> str:
    if not isinstance(key, Ed25519PublicKey | RSAPublicKey | EllipticCurvePublicKey):
        return "of another kind"
    return key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
