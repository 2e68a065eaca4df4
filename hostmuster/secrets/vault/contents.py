"""What one version of the Vault's secret holds: all of a fleet's secrets, so that each is a whole state of them.

`{"format": 1, "salt": "...", "secrets": {NAME: {"kind": "opaque", "value": "..."}}}`; a ring has `"keys": [{"kid",
"use", "value"}]` in place of a value, as the SOPS file has it, and a Fernet key the next one there, beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from hostmuster.errors import InputError, Problem, Refused
from hostmuster.secrets.kinds.catalogue import kind_named
from hostmuster.secrets.kinds.kind import Accepted, Kind, Part, Use
from hostmuster.secrets.name import check_name
from hostmuster.secrets.succession import Succession
from hostmuster.secrets.value import Secret

FORMAT = 1
_REMEDY = "docs/secrets.md shows its shape; vault kv rollback brings back the last good version"


class _Shape(BaseModel):
    # Without it an error would quote what it found.
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class _Key(_Shape):
    kid: str
    use: Use
    value: str


class _Stored(_Shape):
    kind: str
    value: str | None = None
    keys: list[_Key] | None = None


class _Whole(_Shape):
    format: Literal[1]
    salt: str = Field(min_length=32)
    secrets: dict[str, _Stored]


@dataclass(frozen=True)
class Kept:
    """One secret. `parts`: of a kind of several values; else what stands beside its value."""

    name: str
    kind: Kind
    public: str | None
    value: Secret
    parts: tuple[Part, ...] = ()

    @classmethod
    def of(cls, name: str, kind: Kind, accepted: Accepted) -> Kept:
        """A value that its kind has accepted."""
        parts = kind.parts.split(accepted.value) if kind.parts else ()
        return cls(name, kind, accepted.public, accepted.value, parts)

    @property
    def phase(self) -> str | None:
        """Of a secret that is being replaced, by what the store says: the step that was begun last; None at rest."""
        return self.kind.phase(part.use for part in self.parts)

    @property
    def succession(self) -> Succession:
        """The value, and the one that is to take its place."""
        return Succession(self.value, next((part.value for part in self.parts if part.use == "next"), None))

    def succeeded(self, then: Succession) -> Kept:
        """With another succession."""
        parts = (Part("next", "next", then.next),) if then.next else ()
        return replace(self, value=then.current, parts=parts)

    @property
    def values(self) -> dict[str, Secret]:
        """By NAME, or NAME:LABEL for one of several."""
        own = {} if self.kind.parts else {self.name: self.value}
        return own | {f"{self.name}:{part.label}": part.value for part in self.parts}

    def document(self) -> dict[str, JsonValue]:
        """As it is kept."""
        own: dict[str, JsonValue] = {} if self.kind.parts else {"value": self.value.text()}
        keys: list[JsonValue] = [{"kid": one.label, "use": one.use, "value": one.value.text()} for one in self.parts]
        return {"kind": self.kind.name, **own, **({"keys": keys} if keys else {})}


@dataclass(frozen=True)
class Contents:
    """All of it. `salt`: for fingerprints, known to whoever reads the store and to nobody else."""

    salt: Secret = field(repr=False)
    secrets: Mapping[str, Kept]

    @classmethod
    def parse(cls, data: Mapping[str, JsonValue], where: str) -> Contents:
        """Raises InputError with all that is wrong, by name and without any value; Refused for a newer format."""
        if isinstance(data.get("format"), int) and data["format"] != FORMAT:
            what = f"the store's format is {data['format']}, this hostmuster knows {FORMAT}"
            raise Refused(what, where=where, remedy="use the newer hostmuster that wrote it")
        problems: list[Problem] = []
        try:
            whole = _Whole.model_validate(data)
        except ValidationError as error:
            places = [".".join(map(str, one["loc"])) for one in error.errors(include_input=False, include_url=False)]
            problems = [Problem(where, f"`{place}` is not what a store has there", _REMEDY) for place in places]
        if problems:
            raise InputError(problems)
        found: dict[str, Kept] = {}
        for name, stored in whole.secrets.items():
            try:
                found[name] = _kept(name, stored, where)
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(problems)
        return cls(Secret(whole.salt), found)

    def having(self, one: Kept) -> Contents:
        """With that secret, in place of what has its name."""
        return Contents(self.salt, {**self.secrets, one.name: one})

    def without(self, name: str) -> Contents:
        """All but that secret."""
        return Contents(self.salt, {other: one for other, one in self.secrets.items() if other != name})

    def document(self) -> dict[str, JsonValue]:
        """The data of a version."""
        secrets: dict[str, JsonValue] = {name: one.document() for name, one in self.secrets.items()}
        return {"format": FORMAT, "salt": self.salt.text(), "secrets": secrets}


def _kept(name: str, stored: _Stored, where: str) -> Kept:
    check_name(name)
    kind = kind_named(stored.kind, f"{where}, {name}")
    beside = stored.keys is not None and not kind.succeeds
    if kind.parts is None and (stored.value is None or beside):
        raise InputError([Problem(where, f"`{name}` has no `value`, or `keys` beside it", _REMEDY)])
    if kind.parts is not None and (stored.keys is None or stored.value is not None):
        raise InputError([Problem(where, f"`{name}` has no `keys`, or a `value` beside them", _REMEDY)])
    if wrong := _wrong(kind, stored.keys or []):
        raise InputError([Problem(where, f"`{name}`: {wrong}", _REMEDY)])
    parts = tuple(Part(one.kid, one.use, Secret(one.value)) for one in stored.keys or ())
    if kind.parts is None:
        value = Secret(stored.value or "")
        return Kept(name, kind, kind.check(value, name).public if kind.has_public else None, value, parts)
    return Kept(name, kind, None, kind.parts.join(parts), parts)


def _wrong(kind: Kind, keys: Sequence[_Key]) -> str | None:
    kids = [one.kid for one in keys]
    twice = next((kid for kid in kids if kids.count(kid) > 1), None)
    return f"the kid `{twice}` stands twice" if twice is not None else kind.mistaken_uses([one.use for one in keys])
