"""One encrypted value as SOPS writes it: ENC[AES256_GCM,data:..,iv:..,tag:..,type:..].

Source: getsops/sops, aes/cipher.go (format, 32-byte nonce, type tags) and sops.go (ToBytes, for the MAC).
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal, get_args

from hostmuster.secrets.value import Secret

Tag = Literal["str", "int", "float", "bool", "bytes", "comment"]

_FORM = re.compile(r"ENC\[AES256_GCM,data:(.+),iv:(.+),tag:(.+),type:(.+)\]")
_NONCE_BYTES = 32


@dataclass(frozen=True)
class Plain:
    """A decrypted value with the type it had in the plaintext YAML."""

    value: Secret
    tag: Tag

    def mac_bytes(self) -> bytes:
        """The bytes that go into the file's MAC: numbers and booleans in Go's one spelling of them."""
        raw = self.value.reveal()
        if self.tag == "int":
            return str(int(raw)).encode()
        if self.tag == "float":
            return go_float(raw.decode())
        return raw.title() if self.tag == "bool" else raw


def seal(value: Secret, key: Secret, context: str, tag: Tag = "str") -> str:
    """The value encrypted under the data key, bound to its context (its path; for a MAC, the time)."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if not len(value):
        return '""'
    nonce = os.urandom(_NONCE_BYTES)
    sealed = AESGCM(key.reveal()).encrypt(nonce, value.reveal(), context.encode())
    data, check = sealed[:-16], sealed[-16:]
    shown = [base64.b64encode(part).decode() for part in (data, nonce, check)]
    return f"ENC[AES256_GCM,data:{shown[0]},iv:{shown[1]},tag:{shown[2]},type:{tag}]"


def unseal(text: str, key: Secret, context: str) -> Plain | None:
    """The value, or None when it is damaged, was encrypted with another key, or for another context."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if text == "":
        return Plain(Secret(b""), "str")
    form = _FORM.fullmatch(text)
    if form is None:
        return None
    tag = next((known for known in get_args(Tag) if known == form[4]), None)
    if tag is None:
        return None
    try:
        data, nonce, check = (base64.b64decode(form[part], validate=True) for part in (1, 2, 3))
        raw = AESGCM(key.reveal()).decrypt(nonce, data + check, context.encode())
    except (binascii.Error, InvalidTag, ValueError):  # ValueError: a nonce of impossible length
        return None
    if tag == "int" and not re.fullmatch(rb"[-+]?[0-9]+", raw):
        return None
    return Plain(Secret(raw), tag)


def is_sealed(text: object) -> bool:
    """Whether the text has the form of an encrypted value."""
    return isinstance(text, str) and _FORM.fullmatch(text) is not None


def go_float(text: str) -> bytes:
    """A float as Go's FormatFloat(f, 'f', -1, 64) writes it: shortest, without an exponent."""
    try:
        shown = format(Decimal(repr(float(text))), "f")
    except (ValueError, InvalidOperation):
        return text.encode()
    return shown.removesuffix(".0").encode()
