"""Where the one Redis is that all replicas share, with its password (K1): a URL that every library reads alike."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from hostmuster.secrets.kinds.kind import Accepted, Kind, mistake, text_of
from hostmuster.secrets.placeholder import placeholder
from hostmuster.secrets.value import Secret

_REMEDY: Final = "write redis://[:PASSWORD@]HOST[:PORT][/NUMBER], or rediss:// for TLS; signs in a password as %XX"
_HOST: Final = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")
_OTHER_SCHEMES: Final = {
    "memory": "memory:// counts in each process alone, so replicas would not share it",
    "unix": "a socket is one host's own, so hosts would not share it",
    "redis+unix": "a socket is one host's own, so hosts would not share it",
}


def _check(value: Secret, where: str) -> Accepted:
    wrong = wrong_with(text_of(value, where))
    if wrong:
        raise mistake(where, wrong, _REMEDY)
    return Accepted(value)


def wrong_with(given: str) -> str | None:
    """Why replicas cannot share it, or its readers do not read it alike; None where they do. The URL is not shown."""
    if not (given.isascii() and given.isprintable() and " " not in given):
        return "a blank, a line end or a sign beyond ASCII in a URL"
    if "#" in given:
        return "a `#`, which ends a URL: in a password it is %23"
    scheme, _, rest = given.partition("://")
    if scheme in _OTHER_SCHEMES:
        return _OTHER_SCHEMES[scheme]
    if scheme not in ("redis", "rediss") or not rest:
        return "no URL that begins with redis:// or rediss://, in lower case"
    try:
        url = urlsplit(given)
        port = url.port
    except ValueError:
        return "a host or port that cannot be read: an IPv6 address stands in brackets, a port is a number to 65535"
    if port == 0:
        return "port 0"
    return _wrong_host(url) or _wrong_rest(url)


def _wrong_host(url: SplitResult) -> str | None:
    host = url.hostname or ""
    try:
        address = ip_address(host)
    except ValueError:
        if not _HOST.fullmatch(host) or host.rpartition(".")[2].isdigit():
            return "no host's name or address where one is expected: is a `/` or `@` in the password unescaped?"
        loopback = host == "localhost" or host.endswith(".localhost")
    else:
        loopback = address.is_loopback or address.is_unspecified
    return "each host itself: a Redis that replicas share has an address that all of them reach" if loopback else None


def _wrong_rest(url: SplitResult) -> str | None:
    if url.path not in ("", "/") and not re.fullmatch(r"/[0-9]{1,4}", url.path):
        return "a database that is no number: libraries take 0 for it without a word"
    if "db" in parse_qs(url.query, keep_blank_values=True):
        return "`db` among the options, which not every library reads: write /NUMBER"
    if url.password is not None:
        return placeholder(unquote(url.password))
    return None


KIND = Kind("redis-url", confidential=True, has_public=False, check=_check, rotation="swap")
