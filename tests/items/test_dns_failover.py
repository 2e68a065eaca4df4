"""The zone that the fleet's own servers give: what stands in it, what is asked, what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hostmuster.effects.dns_failover import alike, given
from hostmuster.errors import InputError
from hostmuster.item import Answer, Seen
from tests.items.project import compiled, resource

API = {"addresses": ["192.0.2.100", "2001:db8::64"], "health": "https://api.example.net/health"}
DECLARED: Mapping[str, Any] = {"zone": "lb.example.net", "names": {"api": API}}


def lines(folder: Path, path: str, **more: Any) -> list[str]:
    """A file of the first server."""
    part = compiled(folder, "dns_failover", {"dns_failover": {**DECLARED, **more}})
    text: str = resource(part, f"file {path}").content.decode()
    return [line for line in text.splitlines() if not line.startswith(";")]


def test_the_zone_has_all_addresses_and_its_servers(tmp_path: Path) -> None:
    zone = lines(tmp_path, "/etc/hostmuster/dns_failover/lb.example.net.zone", ttl_s=5)
    assert zone[:3] == ["$ORIGIN lb.example.net.", "$TTL 5", "@ SOA server-1 hostmaster 1 300 60 86400 5"]
    assert {"@ NS server-1", "@ NS worker-1", "server-1 A 192.0.2.11", "worker-1 A 192.0.2.12"} <= set(zone)
    assert {"api A 192.0.2.100", "api AAAA 2001:db8::64"} <= set(zone)


@pytest.mark.parametrize(
    ("health", "port"),
    [
        ("https://api.example.net/health", 443),
        ("http://api.example.net/", 80),
        ("https://api.example.net:8443/health", 8443),
    ],
)
def test_each_address_is_asked_for_what_clients_write(tmp_path: Path, health: str, port: int) -> None:
    asked = lines(tmp_path, "/etc/hostmuster/dns_failover/checks", names={"api": {**API, "health": health}})
    assert asked == [f"api A 192.0.2.100 {port} {health}", f"api AAAA 2001:db8::64 {port} {health}"]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"zone": "LB.example.net."}, "is no zone"),
        ({"names": {}}, "without `zone` or `names`"),
        ({"names": {"api": {**API, "addresses": ["192.0.2.1"]}}}, "at least 2"),
        ({"names": {"api": {**API, "addresses": ["192.0.2.1", "192.0.2.1"]}}}, "has an address twice"),
        ({"names": {"api": {**API, "health": "https://192.0.2.1/"}}}, "no URL with a host's name"),
        ({"names": {"api": {**API, "health": "https://api.example.net/'$(reboot)"}}}, "no URL with a host's name"),
        ({"names": {"server-1": API}}, "the name of one of its servers"),
    ],
)
def test_what_could_not_work_is_refused(tmp_path: Path, more: Mapping[str, Any], says: str) -> None:
    with pytest.raises(InputError) as refused:
        compiled(tmp_path, "dns_failover", {"dns_failover": {**DECLARED, **more}})
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("status", "output", "expected"),
    [
        (0, "192.0.2.1\n192.0.2.2\n", Seen(True, "192.0.2.1, 192.0.2.2")),
        (0, "192.0.2.2\n", Seen(True, "192.0.2.2; 192.0.2.1 is out, since it does not answer")),
        (0, "192.0.2.9\n", Seen(False, "gives 192.0.2.9: 192.0.2.9")),
        (0, "", Seen(False, "gives nothing: ")),
        (
            1,
            ";; WARNING: no servers could be reached",
            Seen(False, "gives nothing: ;; WARNING: no servers could be reached"),
        ),
    ],
)
def test_a_server_gives_declared_addresses_and_one_at_least(status: int, output: str, expected: Seen) -> None:
    effect = given("192.0.2.11", "api.lb.example.net", "A", ("192.0.2.1", "192.0.2.2"))
    assert effect.judge(Answer(status, output)) == expected


def test_servers_that_differ_are_named() -> None:
    effect = alike("192.0.2.11", "worker-1", "192.0.2.12", (("api.lb.example.net", "A"),))
    said = "192.0.2.11 api.lb.example.net A 192.0.2.1 192.0.2.2 \n192.0.2.12 api.lb.example.net A 192.0.2.1 \n"
    differs = "api.lb.example.net A: 192.0.2.1 192.0.2.2 here, 192.0.2.1 at worker-1"
    assert effect.judge(Answer(0, said)) == Seen(False, differs)
    assert effect.judge(Answer(0, said.replace(" 192.0.2.2", ""))).ok
