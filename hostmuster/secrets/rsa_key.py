"""RSA private keys as PEM: which of them sign RS256 tokens, and what the others are (K1).

Source: RFC 7468 (the text), RFC 7518 section 3.3 (size), RFC 7638 (thumbprint); cryptography parses.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import TYPE_CHECKING, Final

from hostmuster.secrets.kinds.kind import mistake
from hostmuster.secrets.value import Secret

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

BITS: Final = 2048
EXPONENT: Final = 65537  # NIST SP 800-56B, 6.2: no smaller one

PUBLISHED: Final = frozenset(
    {
        "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",  # RFC 7517, A.2
        "IsUn6_e04MaShXFIISMp4kG62LWzMIPy_MvSA5pJgX8",  # RFC 7515, A.2
        "9ieULTqgkTxlaBwfcOjLNxB92eutG32Gtr-dOdSK1Ng",  # jwt.io
    }
)
"""Thumbprints of keys that stand in documentation: everybody has them."""

_BEGIN = re.compile(r"-----BEGIN ([A-Z0-9 ]*)-----")
_LABELS: Final = ("PRIVATE KEY", "RSA PRIVATE KEY")  # PKCS#8 and PKCS#1
_REMEDY = "give one unencrypted RSA private key, as `openssl genpkey -algorithm RSA` writes it; the store encrypts it"


def accepted(pem: Secret, where: str) -> Secret:
    """The key as PKCS#8 PEM, whatever was given: PKCS#1, CRLF, unwrapped lines.

    Raises InputError, without the key, for all that is no unencrypted RSA private key fit for RS256.
    """
    from cryptography.hazmat.primitives import serialization

    wrong = _misshapen(pem.text())
    key = None if wrong else _loaded(pem)
    if key is None:
        raise mistake(where, wrong or _unloadable(pem), _REMEDY)
    if unfit := _unfit(key):
        raise mistake(where, unfit, _REMEDY)
    return Secret(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def generate() -> Secret:
    """A new key as PKCS#8 PEM."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(EXPONENT, BITS)
    return Secret(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def thumbprint(pem: Secret) -> str:
    """RFC 7638's SHA-256 thumbprint of the public half. Raises InputError for what is no RSA key."""
    key = _loaded(pem, trusted=True)
    if key is None:
        raise mistake("the key", "no RSA private key: damaged, or edited by hand", _REMEDY)
    return _thumbprint(key)


def _thumbprint(key: RSAPrivateKey) -> str:
    numbers = key.public_key().public_numbers()
    members = {"e": _base64(numbers.e), "kty": "RSA", "n": _base64(numbers.n)}
    canonical = json.dumps(members, separators=(",", ":"), sort_keys=True)
    return base64.urlsafe_b64encode(hashlib.sha256(canonical.encode()).digest()).decode().rstrip("=")


def _base64(number: int) -> str:
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _misshapen(text: str) -> str | None:
    """What can be told from the text alone, before a parser that says less about it."""
    labels = _BEGIN.findall(text)
    if "\\n" in text or "\\r" in text:
        return "a literal \\n stands in the key where a line ends: it was escaped once too often"
    if not labels:
        return "no PEM block (-----BEGIN ...) in it"
    foreign = next((label for label in labels if label not in _LABELS), None)
    if "ENCRYPTED" in text:
        return "the key is protected by a passphrase, which no service can ask for"
    if foreign is not None and len(labels) == 1:
        return f"a {foreign}, not an RSA private key in PKCS#8 or PKCS#1"
    if foreign is not None:
        return f"more than the key in it: a {foreign} too"
    if len(labels) > 1:
        return f"{len(labels)} private keys in it: a reader takes the first in silence"
    if f"-----END {labels[0]}-----" not in text:
        return "the key is truncated: its last line is missing"
    if re.search(r"\n[ \t]*\r?\n", text[text.index("-----BEGIN") : text.index("-----END")]):
        return "a blank line inside the key"
    return None


def _loaded(pem: Secret, *, trusted: bool = False) -> RSAPrivateKey | None:
    """None for what does not load, or is a key for another algorithm. Whether the primes are any takes 0.1 s to
    see: a `trusted` key was accepted before."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(pem.reveal(), password=None, unsafe_skip_rsa_key_validation=trusted)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        return None
    return key if isinstance(key, RSAPrivateKey) else None


def _unloadable(pem: Secret) -> str:
    """Why a text of the right shape gave no RSA key."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    text = pem.text()
    ours = _BEGIN.findall(text)[0]
    other = _LABELS[1 - _LABELS.index(ours)]
    try:
        algorithm = type(load_pem_private_key(pem.reveal(), password=None)).__name__
    except (TypeError, ValueError, UnsupportedAlgorithm):
        algorithm = ""
    if algorithm:
        return f"a key of another algorithm ({algorithm.removesuffix('PrivateKey')}): RS256 signs with RSA"
    if _loaded(Secret(text.replace(f" {ours}-----", f" {other}-----"))) is not None:
        return f"the label says {ours}, what is in it is a {other}: PKCS#1 and PKCS#8 are mixed up"
    return "the key is damaged or truncated: it does not parse"


def _unfit(key: RSAPrivateKey) -> str | None:
    if key.key_size < BITS:
        return f"a key of {key.key_size} bits, where RS256 asks for at least {BITS} (RFC 7518, 3.3)"
    exponent = key.public_key().public_numbers().e
    if exponent < EXPONENT:
        return f"the public exponent {exponent}, where {EXPONENT} is the least"
    if _thumbprint(key) in PUBLISHED:
        return "a key out of published documentation, which everybody has"
    return None
