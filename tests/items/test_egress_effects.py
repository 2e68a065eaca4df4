"""What the egress item's effects ask for, and make of a host's answers."""

from __future__ import annotations

import pytest

from hostmuster.effects.egress import allowed, closed, denied
from hostmuster.item import Answer

PROXY = ("127.0.0.1", 8888)


def test_names_like_the_allowed_ones_addresses_and_other_ports_are_asked_for() -> None:
    effect = denied(PROXY, ("api.example.net", ".example.org"), (443,))
    targets = effect.ask[6:]
    assert targets == (
        "api.example.net.evil.example:443",
        "evilapi.example.net:443",
        "apixexample.net:443",
        "api.example.net:22",
        "example.org.evil.example:443",
        "evilexample.org:443",
        "examplexorg:443",
        "example.org:22",
        "192.0.2.1:443",
    )
    refused = "".join(f"{target}: HTTP/1.1 403 Filtered\n" for target in targets)
    assert effect.judge(Answer(0, refused)).ok is True
    passed = effect.judge(
        Answer(
            0,
            refused.replace(
                "evilexample.org:443: HTTP/1.1 403 Filtered", "evilexample.org:443: HTTP/1.1 500 Unable to connect"
            ),
        )
    )
    assert (passed.ok, passed.seen) == (False, "not refused: evilexample.org:443 (HTTP/1.1 500 Unable to connect)")
    assert effect.judge(Answer(0, refused.replace("Filtered", "Access denied"))).ok is False
    dead = effect.judge(Answer(0, "bash: connect: Connection refused\n"))
    assert dead.ok is False
    assert dead.seen.endswith(": bash: connect: Connection refused")


def test_a_name_below_an_allowed_domain_is_not_expected_to_be_refused() -> None:
    effect = denied(PROXY, ("api.example.org", ".example.org"), (443,))
    assert "evilapi.example.org:443" not in effect.ask


@pytest.mark.parametrize(
    ("output", "ok", "seen"),
    [
        ("a.test:443: HTTP/1.0 200 Connection established\n", True, "through to a.test"),
        ("a.test:443: HTTP/1.1 403 Filtered\n", False, "a.test: the proxy refuses it"),
        (
            "a.test:443: HTTP/1.1 500 Unable to connect\n",
            False,
            "a.test: let through, but not reached (HTTP/1.1 500 Unable to connect)",
        ),
        ("bash: connect: Connection refused\n", False, "a.test: no answer: bash: connect: Connection refused"),
    ],
)
def test_an_allowed_name_has_to_be_reached(output: str, ok: bool, seen: str) -> None:
    judged = allowed(PROXY, ("a.test", ".b.test"), (443,)).judge(Answer(0, output))
    assert (judged.ok, judged.seen) == (ok, seen)


def test_whole_domains_alone_have_no_host_to_ask_for() -> None:
    assert allowed(PROXY, (".b.test",), (443,)).judge(Answer(0, "")).ok is None


@pytest.mark.parametrize(
    ("output", "ok", "seen"),
    [
        ("198.51.100.7 closed\n192.0.2.1 closed\n", True, "not to 198.51.100.7, 192.0.2.1"),
        ("198.51.100.7 open udp\n192.0.2.1 closed\n", False, "svc gets to 198.51.100.7 by udp"),
        ("2001:db8::7 open tcp\n", False, "svc gets to 2001:db8::7 by tcp"),
        ("10.0.0.1 open udp\n192.0.2.1 closed\n", True, "not to 192.0.2.1"),
        ("", None, "this host has a route to nowhere but `direct` networks"),
        ("runuser: user svc does not exist\n", False, "runuser: user svc does not exist"),
    ],
)
def test_a_way_around_the_proxy_is_named(output: str, ok: bool | None, seen: str) -> None:
    judged = closed("svc", ("a.test",), (443,), ("10.0.0.0/24",)).judge(Answer(0, output))
    assert (judged.ok, judged.seen) == (ok, seen)
