"""What every kind of secret answers, and the text that all of them take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hostmuster.errors import InputError, Problem, Refused
from hostmuster.secrets.value import Secret

SHORTEST: Final = 4  # characters; a shorter value cannot be found and taken out of logs and reports
LONGEST: Final = 64 * 1024  # bytes

Rotation = Literal["ring", "migrate", "swap", "rolling"]
"""How a value is replaced on hosts that serve: keys side by side for a while, rows encrypted anew, on all hosts at
once, or one host after another."""

Use = Literal["current", "next", "previous", "revoked"]
"""Of a ring's keys: the one that signs, the one that will, and those that did; these verify. A revoked one is kept
only until every replica is proved to be without it."""


@dataclass(frozen=True)
class Accepted:
    """A value as it will be stored, and its public half where it has one."""

    value: Secret
    public: str | None = None


@dataclass(frozen=True)
class Part:
    """One of several values under one name, and what it is for."""

    label: str
    use: Use
    value: Secret


_PHASES: Final[dict[Use, str]] = {"revoked": "revoked", "next": "published", "previous": "promoted"}


@dataclass(frozen=True)
class Parts:
    """A kind whose value is kept in the store in parts, each sealed apart."""

    split: Callable[[Secret], tuple[Part, ...]]
    join: Callable[[tuple[Part, ...]], Secret]


def _anything(_now: Secret, _then: Secret) -> str | None:
    return None


@dataclass(frozen=True)
class Kind:
    """A kind of secret; `check` takes value and name and raises InputError, which never shows the value.

    `confidential` is False for what may be seen by anyone. `generate` makes a value for a name; None where that is
    not hostmuster's to do. `fingerprint` is that of a key; None where a value is told apart by a salted digest.
    `obstacle` says why a value may not take the place of another in the store; None where it may. `succeeds`: the value
    that is to take its place may stand beside it (Succession).
    """

    name: str
    confidential: bool
    has_public: bool
    check: Callable[[Secret, str], Accepted]
    rotation: Rotation | None = None
    generate: Callable[[str], Secret] | None = None
    fingerprint: Callable[[Secret], str] | None = None
    obstacle: Callable[[Secret, Secret], str | None] = _anything
    parts: Parts | None = None
    succeeds: bool = False

    def phase(self, uses: Iterable[Use]) -> str | None:
        """Of a secret that is being replaced, by what its keys are for: the step that was begun last; None at rest."""
        given = set(uses)
        if self.parts is None:
            return "migrating" if given else None
        return next((phase for use, phase in _PHASES.items() if use in given), None)

    def mistaken_uses(self, uses: Sequence[Use]) -> str | None:
        """What is wrong with the keys of one secret, by what they are for; None where nothing is."""
        if self.parts is None:
            return None if list(uses) in ([], ["next"]) else "beside its value only the next one may stand"
        if uses.count("current") == 1 and uses.count("next") <= 1:
            return None
        many = f"{uses.count('current')} keys are `current` and {uses.count('next')} `next`"
        return f"{many}; one signs, one at most is to come"


def text_of(value: Secret, where: str) -> str:
    """The value as text. Raises InputError when it is empty, too short or too long, or holds a NUL."""
    if len(value) > LONGEST:
        raise mistake(where, f"{len(value)} bytes", f"a secret has at most {LONGEST}; larger content is no secret")
    try:
        text = value.text()
    except Refused as error:
        raise mistake(where, error.what, error.remedy or "") from None
    if len(text.strip()) < SHORTEST:
        raise mistake(
            where,
            f"shorter than {SHORTEST} characters" if text.strip() else "an empty value",
            "a value this short is guessed at once, and could not be kept out of logs",
        )
    if "\0" in text:
        raise mistake(where, "a NUL character in the value", "no file, variable or header carries it; store base64")
    return text


def mistake(where: str, what: str, remedy: str) -> InputError:
    """One mistake in a value that somebody gave."""
    return InputError([Problem(where, what, remedy)])
