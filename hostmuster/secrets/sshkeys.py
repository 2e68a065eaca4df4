"""SSH keys in the store: public lines are validated, ed25519 pairs are generated.

Formats: sshd(8), AUTHORIZED_KEYS FILE FORMAT; OpenSSH's PROTOCOL.key and PROTOCOL.u2f; cryptography parses.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from typing import Final

from hostmuster.errors import InputError, Problem
from hostmuster.secrets.value import Secret

RSA_BITS: Final = 3072  # NIST SP 800-57 part 1: 128 bits of security

_TYPES = (
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "ssh-rsa",
    "sk-ssh-ed25519@openssh.com",
    "sk-ecdsa-sha2-nistp256@openssh.com",
)
_COMMENT = re.compile(r"[^\x00-\x1f\x7f]{0,128}")


def public_line(given: str, where: str) -> str:
    """One OpenSSH public key line, made canonical (single spaces).

    Raises InputError: a private key, options, several lines, a certificate, a kind or size that is refused.
    """
    if "PRIVATE KEY" in given:
        raise _mistake(where, "a private key was given", "give the public one, the file that ends in .pub")
    lines = [line.strip() for line in given.splitlines() if line.strip()]
    if len(lines) != 1:
        raise _mistake(
            where,
            f"{len(lines)} lines where one public key is expected",
            "one name holds one key: set each under its own",
        )
    kind, _, rest = lines[0].partition(" ")
    body, _, comment = rest.strip().partition(" ")
    if kind not in _TYPES:
        raise _mistake(where, _unknown(kind, lines[0]), f"give one of: {', '.join(_TYPES)}")
    _check_body(kind, body, where)
    comment = comment.strip()
    if not _COMMENT.fullmatch(comment):
        raise _mistake(where, "the comment after the key is too long or has control characters", "shorten it")
    return f"{kind} {body} {comment}".rstrip()


def generate(comment: str) -> tuple[Secret, str]:
    """A new ed25519 pair: the private key in OpenSSH's format, and its public line."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    pair = Ed25519PrivateKey.generate()
    private = pair.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    )
    public = pair.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    return Secret(private), f"{public.decode()} {comment}"


def public_of(private: Secret, where: str) -> str:
    """The public half (without a comment) of an OpenSSH private key.

    Raises InputError, without the key, when it is none, is protected by a passphrase, or is too weak.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization

    try:
        key = serialization.load_ssh_private_key(private.reveal(), password=None)
        public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    except TypeError:
        what = "the private key is protected by a passphrase"
    except (ValueError, UnsupportedAlgorithm):
        what = "this is no OpenSSH private key: damaged, truncated, or in another format"
    else:
        return public_line(public.decode(), where)
    raise _mistake(where, what, "give it unprotected in OpenSSH's format (ssh-keygen -p); the store encrypts it")


def fingerprint(public: str) -> str:
    """SHA256:.. as ssh-keygen -l shows it."""
    digest = hashlib.sha256(base64.b64decode(public.split()[1])).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def same_key(one: str, other: str) -> bool:
    """Whether two public lines hold the same key, comments apart."""
    return one.split()[:2] == other.split()[:2]


def _unknown(kind: str, line: str) -> str:
    if any(f" {known} " in f" {line} " for known in _TYPES):
        return "options stand before the key"
    if "-cert-v01@" in kind:
        return "a certificate, not a key"
    return "not an OpenSSH public key, or of a kind that is refused (DSA, an unknown one)"


def _check_body(kind: str, body: str, where: str) -> None:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.serialization import load_ssh_public_key

    key: object = None
    try:
        base64.b64decode(body, validate=True)
        key = load_ssh_public_key(f"{kind} {body}".encode())
    except (binascii.Error, ValueError, UnsupportedAlgorithm):
        key = None
    if key is None:
        raise _mistake(where, f"the {kind} key is damaged or truncated", "copy the whole line of the .pub file again")
    if isinstance(key, RSAPublicKey) and key.key_size < RSA_BITS:
        raise _mistake(where, f"an RSA key of {key.key_size} bits", f"use {RSA_BITS} bits or more, or ssh-ed25519")


def _mistake(where: str, what: str, remedy: str) -> InputError:
    return InputError([Problem(where, what, remedy)])
