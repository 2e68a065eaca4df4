"""How a fleet file refers to a secret for a service: by its name, a ring by the name and one of its parts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from hostmuster.errors import InputError, Problem
from hostmuster.model.types import wrong
from hostmuster.secrets import ring_text
from hostmuster.secrets.any_store import OURS, AnyStore
from hostmuster.secrets.name import check_name

PARTS: Final = ("kid", "private_key", "previous")
"""Of a ring: the kid and the key that sign, and all that only verify, in JSON as RUNTIME_RSA_PREVIOUS_KEYS has it."""


def _reference(value: str) -> str:
    name, mark, part = value.partition("#")
    try:
        check_name(name)
    except InputError as error:
        raise wrong(f"`{value[:80]}` names no secret", "write NAME, or NAME#PART for a part of a ring") from error
    if mark and part not in PARTS:
        raise wrong(f"a ring has no part `{part[:40]}`", f"one of: {', '.join(PARTS)}")
    return value


def _secret_name(value: str) -> str:
    if "#" in value:
        raise wrong(f"`{value[:80]}` names a part", "write the name of the whole ring")
    return _reference(value)


SecretName = Annotated[str, AfterValidator(_secret_name), Field(examples=["signing"])]
"""A whole secret's."""
Reference = Annotated[str, AfterValidator(_reference)]
"""What a reader is given: NAME, or NAME#PART for a part of a ring."""


def name_of(reference: str) -> str:
    """The secret's, without a part."""
    return reference.partition("#")[0]


def require(store: AnyStore, reference: str) -> None:
    """Raises InputError where the store has nothing of that name that a service may be given; needs no key."""
    name, _, part = reference.partition("#")
    if name not in store.entries:
        raise InputError([Problem(store.where, f"no secret named `{name}`", f"set it: secrets.set {name}")])
    kind = store.entries[name].kind
    if name in OURS:
        raise InputError([Problem("reader", f"{name} is hostmuster's own: no service is given it", "name another one")])
    if (kind.parts is not None) != bool(part):
        what = f"`{reference}`: a secret of kind {kind.name} is read {'by its parts' if kind.parts else 'as a whole'}"
        remedy = f"write {name}#{PARTS[0]} and so on" if kind.parts else f"write {name}"
        raise InputError([Problem("reader", what, remedy)])


def text_of(store: AnyStore, reference: str) -> str:
    """What a reader gets for a reference. Raises InputError as `require`."""
    require(store, reference)
    name, _, part = reference.partition("#")
    text = store.value(name).text()
    return _ring_part(text, part) if part else text


def _ring_part(text: str, part: str) -> str:
    ring = ring_text.parsed(text, "the ring")
    match part:
        case "kid":
            return ring.current.kid
        case "private_key":
            return ring.current.private.text()
    previous: list[Mapping[str, str]] = [{"kid": key.kid, "private_key": key.private.text()} for key in ring.verifying]
    return json.dumps(previous)
