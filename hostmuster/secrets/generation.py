"""A generation: what all readers of a fleet are given, under one number, the same everywhere (K8)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from hostmuster.errors import InputError, Problem, Refused
from hostmuster.secrets import ring_text
from hostmuster.secrets.any_store import AnyStore
from hostmuster.secrets.reader import Reader, contents
from hostmuster.secrets.ring import Ring, Serves
from hostmuster.secrets.value import Secret

IDENTITY: Final = "identity"
"""The file in a generation that says which one it is; it holds no secret."""

Readers = Mapping[str, Reader]


@dataclass(frozen=True)
class Held:
    """What a host says of the generation that its services' next starts take."""

    number: int
    identity: str
    rings: Mapping[str, Serves]
    """What services with it sign with and verify, by ring."""
    values: Mapping[str, str]
    """Of each value that no two services may have differently: digits that tell it from another."""
    excluded: tuple[str, ...] = ()
    """The hosts that it was made without: no start gate asks them."""

    @classmethod
    def parse(cls, text: str) -> Held | None:
        """From the file; None where there is none."""
        head, *lines = text.splitlines() or [""]
        number, _, identity = head.partition(" ")
        if not number.isdigit():
            return None
        words = [line.split() for line in lines]
        rings = {name: Serves(kids[0], frozenset(kids)) for what, name, *kids in words if what == "ring"}
        values = {name: digits[0] for what, name, *digits in words if what == "value"}
        excluded = tuple(name for what, name, *_ in words if what == "excluded")
        return cls(int(number), identity, rings, values, excluded)


@dataclass(frozen=True)
class Generation:
    """The store's state as the readers of each host are to have it. `identity` tells it from others, whatever it is
    called; who does not hold the store can make nothing of it. `excluded`: the hosts it comes to the others without."""

    identity: str
    files: Mapping[str, Mapping[str, bytes]]
    rings: Mapping[str, Serves]
    values: Mapping[str, str]
    version: int = 0
    """The number that the store gives its own state; 0 where it counts none."""
    excluded: tuple[str, ...] = ()
    upcoming: Mapping[str, str] = field(default_factory=dict)
    """By ring, the word for the key that is published and signs nowhere yet."""

    def on(self, host: str, number: int) -> dict[str, bytes]:
        """A host's files, by their path in the generation."""
        lines = [f"{number} {self.identity}"]
        lines += [
            f"ring {name} {ring.signs} {' '.join(sorted(ring.verifies - {ring.signs}))}".rstrip()
            for name, ring in self.rings.items()
        ]
        lines += [f"value {name} {digits}" for name, digits in self.values.items()]
        lines += [f"excluded {name}" for name in self.excluded]
        return {**self.files[host], IDENTITY: "".join(f"{line}\n" for line in lines).encode()}

    def obstacle(self, held: Held, apart_from: str = "") -> str | None:
        """Why services with that generation and services with this one may not serve together; None where they may.

        `apart_from`: the one secret that is not looked at, since all its services stop for it.
        """
        for name, ring in self.rings.items():
            there = held.rings.get(name, ring)
            kid = ring.unverified(there)
            if kid is not None and name != apart_from:
                return f"of the ring {name}, tokens signed with `{kid}` would not be verified everywhere meanwhile"
            if there.signs == self.upcoming.get(name) and name != apart_from:
                kid = there.signs.partition("/")[0]
                return f"of the ring {name}, `{kid}` signs there, and in the store it is yet to: the store is older"
        for name, digits in self.values.items():
            if held.values.get(name, digits) != digits and name != apart_from:
                return f"{name} has another value, which services with the old one do not understand"
        return None


def of_store(store: AnyStore, readers: Mapping[str, Readers], salt: str) -> Generation:
    """What the hosts' readers get from the store as it is now. `salt`: the name of a secret that nobody else has.

    Raises InputError with all that cannot be given to a reader, and Refused where no host has readers.
    """
    problems: list[Problem] = []
    files: dict[str, dict[str, bytes]] = {}
    for host, declared in readers.items():
        files[host] = {}
        for name, reader in declared.items():
            try:
                files[host].update(contents(name, reader, store))
            except InputError as error:
                problems.extend(error.problems)
    if problems:
        raise InputError(list(dict.fromkeys(problems)))
    if not any(files.values()):
        raise Refused("no host of the fleet reads secrets", where="settings", remedy="declare readers: docs/rollout.md")
    names = sorted({name for declared in readers.values() for one in declared.values() for name in one.secrets})
    key = store.value(salt).reveal()
    # Of what is given, not of who gets it: one more host of a role changes nothing on the others.
    given = sorted({pair for one in files.values() for pair in one.items()})
    whole = b"".join(f"{path} {len(content)}\n".encode() + content for path, content in given)
    same = [name for name in names if store.entries[name].kind.rotation in ("swap", "migrate")]
    values = {name: _digits(key, store.value(name).reveal()) for name in same}
    rings = dict(_rings(store, names))
    served = {name: ring.serves for name, ring in rings.items()}
    upcoming = {name: ring.next.word for name, ring in rings.items() if ring.next}
    return Generation(_digits(key, whole), files, served, values, store.version, upcoming=upcoming)


def digits_of(store: AnyStore, value: Secret, salt: str) -> str:
    """What tells a value from others, as generations have it."""
    return _digits(store.value(salt).reveal(), value.reveal())


def _digits(key: bytes, content: bytes) -> str:
    return hmac.new(key, content, hashlib.sha256).hexdigest()[:16]


def _rings(store: AnyStore, names: list[str]) -> Iterator[tuple[str, Ring]]:
    for name in names:
        if store.entries[name].kind.name == "rsa-signing-ring":
            yield name, ring_text.parsed(store.value(name).text(), name)
