"""Names that may be reached: plain ones are taken, anchored patterns are made of them (tinyproxy.conf(5), Filter)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from hostmuster.model.types import wrong

MOST_BYTES = 511
"""Of a line of tinyproxy's filter: it reads into 512 bytes, and what is longer becomes two patterns."""
MOST_CHARACTERS = 253
"""Of a DNS name (RFC 1035, without the dot at its end)."""

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_PLAIN = "write `api.example.net` for one host, `.example.net` for a domain and all below it"
_TRAPS: tuple[tuple[str, str, str], ...] = (
    (r"://", "has a scheme", "a name alone; ports are declared apart"),
    (r"#", "has a `#`: tinyproxy drops the rest of the line", "a name alone"),
    (r"\s", "has a blank: tinyproxy drops what follows", "a name alone, one an entry"),
    (r"\*", "has a wildcard", "for a domain and all below it a leading dot: `.example.net`"),
    (r"[\\^$?+()\[\]{}|]", "is a pattern", "a plain name: patterns are made of it, and anchored"),
    (r"/", "has a path", "a name alone: the proxy sees no path of an encrypted request"),
    (r":", "has a port or is an IPv6 address", "a name alone; ports are declared apart"),
    (r"[A-Z]", "has capitals", "lower case"),
    (r"[^\x00-\x7f]", "is not ASCII", "the form that DNS has: xn--..."),
    (r"_", "has an underscore, which no host's name has (RFC 1123)", "the host's own name"),
    (r"\.$", "ends in a dot, as no client's request does", "it without that dot"),
)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise wrong(f"{value!r} is no name", _PLAIN)
    return value


def _plain(value: str) -> str:
    shown = ascii(value[:60])
    if len(value) > MOST_CHARACTERS + value.startswith("."):
        raise wrong(f"{shown}... has {len(value)} characters", f"a DNS name has at most {MOST_CHARACTERS}")
    for trap, what, remedy in _TRAPS:
        if re.search(trap, value):
            raise wrong(f"{shown} {what}", f"write {remedy}")
    labels = value.removeprefix(".").split(".")
    if not all(_LABEL.fullmatch(label) for label in labels):
        raise wrong(f"{shown} is no host's name (RFC 1123)", _PLAIN)
    if labels[-1].isdigit():
        raise wrong(f"{shown} is an address", "write the host's name: what is asked for by address is refused")
    if value == "localhost" or value.endswith(".localhost"):
        raise wrong(f"{shown} is this host itself", "leave it out: through the proxy all local services would be open")
    if value.startswith(".") and len(labels) == 1:
        raise wrong(f"{shown} is a whole top-level domain", "name the domains below it")
    return value


AllowedName = Annotated[str, BeforeValidator(_text), AfterValidator(_plain), Field(examples=["api.example.net"])]
"""`api.example.net`: that host. `.example.net`: the domain itself and all below it."""


def pattern(name: str) -> str:
    """The name's basic regular expression (POSIX BRE, tinyproxy's default), anchored at both ends."""
    literal = name.removeprefix(".").replace(".", r"\.")
    return rf"^\(.*\.\)\{{0,1\}}{literal}$" if name.startswith(".") else f"^{literal}$"


def permits(names: Iterable[str], host: str) -> bool:
    """Whether one of the names means this host."""
    return any(f".{host}".endswith(name) if name.startswith(".") else host == name for name in names)
