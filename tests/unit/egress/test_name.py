"""Plain names become patterns that a real tinyproxy reads as they were meant; all else is refused with the reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic import TypeAdapter, ValidationError

from hostmuster.egress.name import MOST_BYTES, AllowedName, pattern, permits
from tests.unit.egress.proxy import Proxy, running

ALLOWED = ("api.stripe.test", ".example.test")
DOTTED = ".".join("a" * 127)
"""As many dots as 253 characters can have: each takes two in a pattern."""


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """One with the patterns of these names, and a port declared."""
    listed = "".join(f"{pattern(name)}\n" for name in (*ALLOWED, DOTTED))
    with running(tmp_path_factory.mktemp("proxy"), listed, "ConnectPort 443") as started:
        yield started


@pytest.mark.parametrize(
    ("host", "right"),
    [
        ("api.stripe.test", True),
        ("API.Stripe.test", True),
        ("example.test", True),
        ("www.example.test", True),
        ("a.b.example.test", True),
        (DOTTED, True),
        ("api.stripe.test.evil.io", False),
        ("apixstripe.test", False),
        ("evilapi.stripe.test", False),
        ("www.api.stripe.test", False),
        ("stripe.test", False),
        ("notexample.test", False),
        ("example.test.evil.net", False),
        ("examplextest", False),
        ("wwwxexample.test", False),
        ("example.test.", False),
        ("192.0.2.1", False),
        (DOTTED[2:], False),
        ("a.a", False),
    ],
)
def test_tinyproxy_lets_through_what_was_declared_and_nothing_like_it(proxy: Proxy, host: str, right: bool) -> None:
    assert proxy.allows(host) is right
    if host == host.lower():
        assert permits((*ALLOWED, DOTTED), host) is right


def test_a_port_that_is_not_declared_is_refused(proxy: Proxy) -> None:
    assert proxy.answer("api.stripe.test", 22) == "HTTP/1.1 403 Access violation"


def test_the_longest_name_there_is_stays_one_line_of_tinyproxys() -> None:
    assert len(DOTTED) == 253
    assert len(pattern(f".{DOTTED}").encode()) <= MOST_BYTES


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("*.example.com", "has a wildcard"),
        ("*.x", "has a wildcard"),
        ("stripe\\.com$", "is a pattern"),
        ("^api.stripe.com$", "is a pattern"),
        ("(a|b).example.com", "is a pattern"),
        ("example.com|", "is a pattern"),
        ("exampl?.com", "is a pattern"),
        ("example+.com", "is a pattern"),
        ("example{1}.com", "is a pattern"),
        ("[a-z].example.com", "is a pattern"),
        ("https://api.stripe.com", "has a scheme"),
        ("api.stripe.com/v1", "has a path"),
        ("api.stripe.com:443", "has a port"),
        ("2001:db8::1", "has a port or is an IPv6 address"),
        ("api.stripe.com # payments", "has a `#`"),
        ("api.stripe.com api.github.com", "has a blank"),
        ("api.stripe.com\n", "has a blank"),
        ("\tapi.stripe.com", "has a blank"),
        ("api.stripe.com.", "ends in a dot"),
        ("API.stripe.com", "has capitals"),
        ("b\u00fccher.example", "is not ASCII"),
        ("api.str\u0456pe.com", "is not ASCII"),
        ("a_b.example.com", "has an underscore"),
        ("192.0.2.1", "is an address"),
        ("10.0", "is an address"),
        ("localhost", "is this host itself"),
        (".com", "is a whole top-level domain"),
        ("", "is no host's name"),
        (".", "ends in a dot"),
        ("..example.com", "is no host's name"),
        ("a..b", "is no host's name"),
        ("-a.example.com", "is no host's name"),
        ("a" * 64 + ".com", "is no host's name"),
        ("a." * 126 + "example", "has 259 characters"),
        ("\x00.example.com", "is no host's name"),
        (443, "443 is no name"),
        (None, "None is no name"),
    ],
)
def test_what_is_no_plain_name_is_refused_with_the_reason(written: object, reason: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(AllowedName).validate_python(written)
    assert reason in str(caught.value)
