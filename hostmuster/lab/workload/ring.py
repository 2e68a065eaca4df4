"""The keys of this replica: one signs tokens, all of them verify (K2, K3).

cryptography is imported where a key is read, so that a workload without keys needs no more than Python.
"""

from __future__ import annotations

import base64
import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .environment import Environment, Problems, path_of, switch, text_of
from .settings import Misconfigured

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

INLINE = "RUNTIME_RSA_PRIVATE_KEY"
FILE = "RUNTIME_RSA_PRIVATE_KEY_FILE"
KID = "RUNTIME_RSA_KEY_ID"
PREVIOUS = "RUNTIME_RSA_PREVIOUS_KEYS"
AUTO = "RUNTIME_RSA_ALLOW_AUTO_GENERATE"
DATA = "WORKLOAD_DATA"
LEGACY = "runtime_rsa_key.pem"
"""In the folder of WORKLOAD_DATA: the key of an instance that was alone."""

Jwk = dict[str, str]


@dataclass(frozen=True)
class Key:
    """A key, and the kid that its tokens carry."""

    kid: str
    private: RSAPrivateKey = field(repr=False)

    @property
    def jwk(self) -> Jwk:
        """Its public half (RFC 7517, RFC 7518 6.3.1)."""
        numbers = self.private.public_key().public_numbers()
        use = {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": self.kid}
        return {**use, "n": _base64(numbers.n), "e": _base64(numbers.e)}


@dataclass(frozen=True)
class Ring:
    """`current` signs; `verifying` never do."""

    current: Key
    verifying: tuple[Key, ...] = ()

    @property
    def keys(self) -> tuple[Key, ...]:
        """All that verify, the one that signs first."""
        return (self.current, *self.verifying)

    def jwks(self) -> dict[str, list[Jwk]]:
        """What everybody may know; in the order of the kids, so that replicas with one ring answer alike."""
        return {"keys": [key.jwk for key in sorted(self.keys, key=lambda key: key.kid)]}


def read(environment: Environment, *, alone: bool) -> Ring:
    """The ring in an environment. Only who is `alone` may have a key that nobody gave it (K2).

    Raises Misconfigured with all that is wrong, without any key.
    """
    problems = Problems()
    kid = environment.get(KID) or "default-key-1"
    current = problems.of(_signs, environment, alone)
    previous = problems.of(_previous, environment) or ()
    kids = Counter([kid, *(key.kid for key in previous)])
    if kids.pop(kid) > 1:
        problems.found.append(f"{PREVIOUS} has the kid of {KID} too: a token names its key by it")
    if any(times > 1 for times in kids.values()):
        problems.found.append(f"{PREVIOUS} has one kid twice: a token names its key by it")
    problems.end()
    if current is None:
        raise Misconfigured([f"{INLINE} is not set"])
    return Ring(Key(kid, current), previous)


def _signs(environment: Environment, alone: bool) -> RSAPrivateKey:
    return _loaded(_current(environment, alone), INLINE if environment.get(INLINE) else FILE)


def _current(environment: Environment, alone: bool) -> str:
    if inline := environment.get(INLINE):
        return inline
    if path := path_of(environment, FILE):
        return text_of(path, FILE)
    folder = path_of(environment, DATA)
    if alone and folder is not None and (folder / LEGACY).exists():
        return text_of(folder / LEGACY, DATA)
    if not alone or not switch(environment, AUTO):
        raise Misconfigured([f"{INLINE} is not set, nor {FILE}: there is no key to sign with"])
    if folder is None:
        raise Misconfigured([f"{DATA} is not set: a key that is generated must be kept"])
    return _generated(folder / LEGACY)


def _previous(environment: Environment) -> tuple[Key, ...]:
    """K3's list. An empty variable is no list: whoever wrote it meant something else."""
    text = environment.get(PREVIOUS)
    if text is None:
        return ()
    wrong = f"{PREVIOUS} is not valid: a JSON list of objects with kid and private_key, or kid and private_key_file"
    try:
        listed = json.loads(text)
    except ValueError:
        listed = None
    if not isinstance(listed, list):
        raise Misconfigured([wrong])
    keys = []
    for entry in listed:
        given = set(entry) if isinstance(entry, dict) else set()
        if given not in ({"kid", "private_key"}, {"kid", "private_key_file"}):
            raise Misconfigured([wrong])
        if not all(isinstance(value, str) and value for value in entry.values()):
            raise Misconfigured([wrong])
        keys.append(Key(entry["kid"], _loaded(_of_entry(environment, entry), PREVIOUS)))
    return tuple(keys)


def _of_entry(environment: Environment, entry: dict[str, str]) -> str:
    if "private_key" in entry:
        return entry["private_key"]
    path = path_of({**environment, PREVIOUS: entry["private_key_file"]}, PREVIOUS)
    return text_of(path, PREVIOUS) if path else ""


def _loaded(pem: str, name: str) -> RSAPrivateKey:
    try:
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError as error:
        raise Misconfigured(["python3-cryptography is not installed, and keys are configured"]) from error
    try:
        key = load_pem_private_key(pem.encode(), password=None)
    except (TypeError, ValueError):
        key = None
    if not isinstance(key, RSAPrivateKey) or key.key_size < 2048:
        raise Misconfigured([f"{name} is not valid: an RSA private key of at least 2048 bits, in PEM, no passphrase"])
    return key


def _generated(path: Path) -> str:
    """A new key, on the disk before it is used, and never there in part or for others to read."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(65537, 2048)
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    pem = key.private_bytes(encoding, form, serialization.NoEncryption())
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.touch(0o600, exist_ok=False)
        with fresh.open("wb") as file:
            file.write(pem)
            os.fsync(file.fileno())
        fresh.rename(path)
    except OSError as error:
        raise Misconfigured([f"{DATA} names a folder that takes no key: {error.strerror}"]) from error
    return pem.decode()


def _base64(number: int) -> str:
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
