"""The URL of the Redis that replicas share: what every library reads alike is taken, all else refused by its reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostmuster.errors import InputError
from hostmuster.secrets.kinds.catalogue import KINDS
from hostmuster.secrets.value import Secret

KIND = KINDS["redis-url"]
PASSWORD = "q7Zs0dFfR2mVx9LkT4bN"


@pytest.mark.parametrize(
    "url",
    [
        "redis://cache-1.example.net",
        "redis://192.0.2.9:6379/0",
        "rediss://h:6380/0",
        "redis://[2001:db8::1]:6379/15",
        f"redis://:{PASSWORD}@cache-1/2",
        f"rediss://app:{PASSWORD}%2F%23%40@cache-1:6380/0?ssl_cert_reqs=required",
    ],
)
def test_it_is_taken_as_it_stands(url: str) -> None:
    assert KIND.check(Secret(url), "broker").value.text() == url


REFUSED = {
    "memory://": "counts in each process alone",
    "unix:///run/redis/redis.sock?db=1": "a socket is one host's own",
    "redis+unix:///run/redis/redis.sock": "a socket is one host's own",
    "redis://h:6379/abc": "a database that is no number",
    "redis://::1:6379/0": "an IPv6 address stands in brackets",
    "redis://[::1]:6379/0": "each host itself",
    "redis://localhost:6379": "each host itself",
    "redis://127.0.0.1": "each host itself",
    "redis://0.0.0.0": "each host itself",
    "REDIS://h": "in lower case",
    "http://h": "in lower case",
    "h:6379": "in lower case",
    "redis://": "in lower case",
    "redis://:6379": "no host's name or address",
    "redis://10.1": "no host's name or address",
    "redis://h:0": "port 0",
    "redis://h:66000": "a number to 65535",
    "redis://h:six": "a number to 65535",
    "redis://h/0?db=1": "`db` among the options",
    f"redis://:{PASSWORD}#x@h": "in a password it is %23",
    f"redis://:{PASSWORD}@@h@": "a `/` or `@` in the password unescaped",
    f"redis://:{PASSWORD}/x@h": "a number to 65535",
    "redis://h/0#": "which ends a URL",
    "redis://:change_me@h": "a placeholder",
    "redis://<host>:6379": "no host's name or address",
    "redis://h \n": "a blank, a line end",
}


@pytest.mark.parametrize("url", REFUSED)
def test_it_is_refused_with_the_reason_and_the_password_is_not_shown(url: str) -> None:
    with pytest.raises(InputError) as caught:
        KIND.check(Secret(url), "broker")
    assert REFUSED[url] in caught.value.problems[0].what
    assert PASSWORD not in str(caught.value)


@given(st.text(st.characters(codec="ascii"), max_size=30), st.text(max_size=10))
def test_whatever_is_typed_is_taken_or_refused(rest: str, more: str) -> None:
    try:
        KIND.check(Secret(f"redis://{rest}{more}"), "broker")
    except InputError as error:
        assert error.problems[0].where == "broker"
