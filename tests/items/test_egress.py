"""The egress item: what it asks for, what it refuses before any host is touched, how its effects are judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deploys.checklist import CHECKLIST
from hostmuster.effects.egress import allowed, closed, denied
from hostmuster.egress.settings import Egress
from hostmuster.engine.catalogue import compile_fleet
from hostmuster.errors import InputError
from hostmuster.item import Answer
from hostmuster.model.fleet import load_fleet
from hostmuster.resources.chain import Chain
from hostmuster.resources.unit import Unit
from tests.items.project import compiled, fleet, resource

EGRESS: dict[str, Any] = {"allow": ["api.example.net", ".example.org"], "ports": [443, 8443], "users": ["service"]}
PROXY = ("127.0.0.1", 8888)


def test_only_the_host_that_declares_it_gets_it(tmp_path: Path) -> None:
    catalogue = compile_fleet(fleet(tmp_path, {}, worker_1={"egress": EGRESS}), CHECKLIST, only="egress")
    assert catalogue.hosts["server-1"] == ()
    assert [part.item.name for part in catalogue.hosts["worker-1"]] == ["egress"]


def test_declared_without_a_name_it_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        compiled(tmp_path, "egress", {"egress": {}})
    assert "unit.yml:" in str(caught.value)
    assert "egress is declared without a name" in str(caught.value)


def test_the_unit_is_made_safe_before_the_package_can_start_it(tmp_path: Path) -> None:
    part = compiled(tmp_path, "egress", {"egress": EGRESS})
    assert [one.id for one in part.resources] == [
        "directory /etc/systemd/system/tinyproxy.service.d",
        "file /etc/systemd/system/tinyproxy.service.d/hostmuster.conf",
        "package tinyproxy",
        "package iptables",
        "file /etc/tinyproxy/hostmuster.filter",
        "file /etc/tinyproxy/hostmuster.conf",
        "directory /etc/hostmuster/egress",
        "file /etc/hostmuster/egress/load",
        "file /etc/systemd/system/hostmuster-egress.service",
        "chain HOSTMUSTER-EGRESS",
        "unit hostmuster-egress.service",
        "unit tinyproxy.service",
    ]
    drop_in = resource(part, "file /etc/systemd/system/tinyproxy.service.d/hostmuster.conf").content.decode()
    assert "ConditionPathExists=/etc/tinyproxy/hostmuster.conf\n" in drop_in
    assert "Restart=always\n" in drop_in
    unit: Unit = resource(part, "unit tinyproxy.service")
    assert unit.drop_ins == ("/etc/systemd/system/tinyproxy.service.d/hostmuster.conf",)


def test_the_filter_is_anchored_and_the_config_denies_by_default(tmp_path: Path) -> None:
    part = compiled(tmp_path, "egress", {"egress": EGRESS})
    assert resource(part, "file /etc/tinyproxy/hostmuster.filter").content.decode() == (
        "^api\\.example\\.net$\n^\\(.*\\.\\)\\{0,1\\}example\\.org$\n"
    )
    config = resource(part, "file /etc/tinyproxy/hostmuster.conf")
    assert config.restarts == ("tinyproxy.service",)
    lines = config.content.decode().splitlines()
    assert [line for line in lines if line.startswith(("Listen", "Port", "Allow", "ConnectPort", "Filter"))] == [
        "Listen 127.0.0.1",
        "Port 8888",
        "Allow 127.0.0.0/8",
        "Allow 127.0.0.1/32",
        "ConnectPort 443",
        "ConnectPort 8443",
        'Filter "/etc/tinyproxy/hostmuster.filter"',
        "FilterDefaultDeny Yes",
    ]


def test_the_fleets_hosts_are_reached_directly_unless_it_is_declared_otherwise(tmp_path: Path) -> None:
    chain: Chain = resource(compiled(tmp_path, "egress", {"egress": EGRESS}), "chain HOSTMUSTER-EGRESS")
    assert [rule for rule in chain.v4 if rule.startswith("-d")] == [
        "-d 192.0.2.11/32 -j RETURN",
        "-d 192.0.2.12/32 -j RETURN",
    ]
    alone = {**EGRESS, "peers": False, "direct": ["10.0.0.0/24", "fd00::1"]}
    chain = resource(compiled(tmp_path, "egress", {"egress": alone}), "chain HOSTMUSTER-EGRESS")
    assert [rule for rule in (*chain.v4, *chain.v6) if rule.startswith("-d")] == [
        "-d 10.0.0.0/24 -j RETURN",
        "-d fd00::1/128 -j RETURN",
    ]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"allow": ["*.example.com"]}, "has a wildcard"),
        ({"allow": ["good.example.com", "bad.example.com/x"]}, "has a path"),
        ({"allow": []}, "`allow` names nothing"),
        ({"users": ["service"]}, "`allow` names nothing"),
        (EGRESS | {"ports": []}, "ports"),
        (EGRESS | {"ports": [0]}, "ports"),
        (EGRESS | {"listen": "0.0.0.0"}, "a proxy for everybody"),
        (EGRESS | {"listen": "proxy"}, "is no IPv4 address"),
        (EGRESS | {"users": ["tinyproxy"]}, "cannot be closed"),
        (EGRESS | {"users": ["root"]}, "cannot be closed"),
        (EGRESS | {"users": ["a b"]}, "is not a user's or group's name"),
        (EGRESS | {"direct": ["10.0.0.1/24"]}, "is no network"),
        (EGRESS | {"direct": ["10.0.0.0/24 -j ACCEPT"]}, "is no network"),
        (EGRESS | {"upstream": "proxy.example:3128"}, "upstream"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError) as caught:
        fleet(tmp_path, {"egress": settings})
    assert reason in str(caught.value)


def test_an_unquoted_star_in_the_fleet_file_is_refused_with_its_line(tmp_path: Path) -> None:
    declared = fleet(tmp_path, {"egress": {"allow": ["a.example.com"]}})
    file = tmp_path / "inventory" / "unit.yml"
    file.write_text(file.read_text().replace("- a.example.com", "- *.example.com"))
    with pytest.raises(InputError) as caught:
        load_fleet(declared.project, "unit", {"egress": Egress})
    assert "unit.yml:" in str(caught.value)
    assert "*" in str(caught.value)


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
