"""A ring as one JSON text: how it is shown and given, and the entries of RUNTIME_RSA_PREVIOUS_KEYS (K2, K3).

`{"current": {"kid": "key-2", "private_key": "-----BEGIN ..."}, "next": {...}, "previous": [{...}]}`
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from hostmuster.errors import InputError, Problem
from hostmuster.secrets import rsa_key
from hostmuster.secrets.kinds.kind import mistake
from hostmuster.secrets.ring import Ring, RingKey
from hostmuster.secrets.value import Secret

_REMEDY = "docs/rotation.md shows the text of a ring; secrets.set also takes one PEM, and --generate makes a new key"
_MEMBERS = frozenset({"kid", "private_key", "private_key_file", "current", "next", "previous", "revoked"})

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def parsed(text: str, where: str) -> Ring:
    """The ring; whether its keys are any is `checked`'s to say. Raises InputError, without any key."""
    document = json_of(text, where)
    if not isinstance(document, dict):
        raise mistake(where, f"JSON, but {_noun(document)} where an object with `current` is expected", _REMEDY)
    if unknown := set(document) - {"current", "next", "previous", "revoked"}:
        raise mistake(where, f"{len(unknown)} members besides `current`, `next`, `previous` and `revoked`", _REMEDY)
    if "current" not in document:
        raise mistake(where, "no `current` key in it: a ring that signs nothing", _REMEDY)
    upcoming = document.get("next")
    return Ring(
        _key(document["current"], f"{where}, current"),
        _key(upcoming, f"{where}, next") if upcoming is not None else None,
        _listed(document, "previous", where),
        _listed(document, "revoked", where),
    )


def checked(ring: Ring, where: str) -> Ring:
    """The same ring, every key accepted and canonical. Raises InputError with all that is wrong with its kids."""

    def accepted(key: RingKey, use: str) -> RingKey:
        return RingKey(key.kid, rsa_key.accepted(key.private, f"{where}, {use} key"))

    whole = Ring(
        accepted(ring.current, "current"),
        accepted(ring.next, "next") if ring.next else None,
        tuple(accepted(key, "previous") for key in ring.previous),
        tuple(accepted(key, "revoked") for key in ring.revoked),
    )
    if wrong := list(whole.mistakes()):
        raise InputError([Problem(where, one, "one kid for each key, each key once") for one in wrong])
    return whole


def written(ring: Ring) -> Secret:
    """The same text in one canonical form."""

    def entry(key: RingKey) -> dict[str, str]:
        return {"kid": key.kid, "private_key": key.private.text()}

    document: dict[str, object] = {"current": entry(ring.current)}
    if ring.next:
        document["next"] = entry(ring.next)
    for use, keys in (("previous", ring.previous), ("revoked", ring.revoked)):
        if keys:
            document[use] = [entry(key) for key in keys]
    return Secret(json.dumps(document, indent=2) + "\n")


def json_of(text: str, where: str) -> Json:
    """Strict JSON: no duplicate member, no line break in a text, no byte order mark. Raises InputError."""
    if text.startswith("\ufeff"):
        raise mistake(where, "a byte order mark before the JSON", "save it as UTF-8 without one")
    if not text.strip():
        raise mistake(where, "empty text where JSON is expected: an empty list is written `[]`", _REMEDY)
    try:
        document: Json = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        wrong = f"line {error.lineno}, column {error.colno}: {_readable(error.msg)}"
    except _Twice as error:
        wrong = f"{error} stands twice in one object: a reader takes the last in silence"
    else:
        return document
    raise mistake(where, wrong, _REMEDY)  # here, since the handler's exception carries the text


class _Twice(ValueError):
    """A member's name that an object has twice."""


def _once(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    for name in members:
        if sum(1 for other, _ in pairs if other == name) > 1:
            raise _Twice(f"`{name}`" if name in _MEMBERS else "a member")
    return members


def _listed(document: Mapping[str, Json], use: str, where: str) -> tuple[RingKey, ...]:
    listed = document.get(use, [])
    if not isinstance(listed, list):
        raise mistake(where, f"`{use}` is {_noun(listed)}, not a list", _REMEDY)
    return tuple(_key(one, f"{where}, {use} key {place}") for place, one in enumerate(listed, 1))


def _key(document: Json, where: str) -> RingKey:
    if not isinstance(document, Mapping) or set(document) != {"kid", "private_key"}:
        raise mistake(where, "not an object of exactly `kid` and `private_key`", _REMEDY)
    kid, pem = document["kid"], document["private_key"]
    if not isinstance(kid, str) or not isinstance(pem, str):
        raise mistake(where, "`kid` and `private_key` are texts", _REMEDY)
    return RingKey(kid, Secret(pem))


def _readable(message: str) -> str:
    if message.startswith("Invalid control character"):
        return "a real line break inside a text: JSON writes it as \\n"
    return message[:1].lower() + message[1:]


def _noun(document: Json) -> str:
    names = {type(None): "null", bool: "a switch", int: "a number", float: "a number", str: "a text", list: "a list"}
    return names.get(type(document), "an object")
