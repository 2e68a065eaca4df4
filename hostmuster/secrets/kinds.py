"""What a secret is: how a value of its kind is checked, and which half of it is public."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from hostmuster.errors import InputError, Problem
from hostmuster.secrets import sshkeys
from hostmuster.secrets.value import Secret

SHORTEST: Final = 4  # characters: a shorter value cannot be found and taken out of logs and reports
LONGEST: Final = 64 * 1024  # bytes

_SEGMENT = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_NAME = re.compile(rf"(?=[a-z]){_SEGMENT}(?:/{_SEGMENT})?")
_YAML_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


@dataclass(frozen=True)
class Accepted:
    """A value as it will be stored, and its public half where it has one."""

    value: Secret
    public: str | None


@dataclass(frozen=True)
class Kind:
    """A kind of secret. `check` raises InputError; `confidential` is False for what may be seen by anyone."""

    name: str
    confidential: bool
    has_public: bool
    check: Callable[[Secret, str], Accepted]


def kind_named(name: str, where: str) -> Kind:
    """Raises InputError for a kind that this version does not know."""
    if name not in KINDS:
        raise _mistake(where, f"unknown kind `{name}`", f"one of: {', '.join(KINDS)}; or a newer hostmuster is needed")
    return KINDS[name]


def kind_for(name: str) -> str:
    """The kind a new secret gets by its name when none was given: operators' keys are public."""
    return "ssh-public" if name.startswith("operator/") else "opaque"


def check_name(name: str) -> None:
    """Raises InputError: names are lower-case words joined by `-`, with at most one `/`."""
    if not _NAME.fullmatch(name) or len(name) > 63 or name in _YAML_WORDS:
        shown = name if len(name) <= 80 and name.isprintable() else f"{len(name)} characters"
        raise _mistake(
            f"the name {shown!r}",
            "not a name for a secret",
            "lower-case letters, digits, single `-`, at most one `/`, as in ssh-ca or operator/alice",
        )


def _opaque(value: Secret, where: str) -> Accepted:
    _text(value, where)
    return Accepted(value, None)


def _ssh_private(value: Secret, where: str) -> Accepted:
    lines = _text(value, where).strip() + "\n"
    private = Secret(lines)
    return Accepted(private, sshkeys.public_of(private, where))


def _ssh_public(value: Secret, where: str) -> Accepted:
    line = sshkeys.public_line(_text(value, where), where)
    return Accepted(Secret(line), line)


def _text(value: Secret, where: str) -> str:
    if len(value) > LONGEST:
        raise _mistake(where, f"{len(value)} bytes", f"a secret has at most {LONGEST}; larger content is no secret")
    text = value.text()
    if len(text.strip()) < SHORTEST:
        raise _mistake(
            where,
            f"shorter than {SHORTEST} characters" if text.strip() else "an empty value",
            "a value this short is guessed at once, and could not be kept out of logs",
        )
    if "\0" in text:
        raise _mistake(where, "a NUL character in the value", "no file, variable or header carries it; store base64")
    return text


def _mistake(where: str, what: str, remedy: str) -> InputError:
    return InputError([Problem(where, what, remedy)])


KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        Kind("opaque", confidential=True, has_public=False, check=_opaque),
        Kind("ssh-ca", confidential=True, has_public=True, check=_ssh_private),
        Kind("ssh-key", confidential=True, has_public=True, check=_ssh_private),
        Kind("ssh-public", confidential=False, has_public=True, check=_ssh_public),
    )
}
