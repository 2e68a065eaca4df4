"""The egress item: what it asks for, and what it refuses before any host is touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deploys.checklist import CHECKLIST
from hostmuster.egress.settings import Egress
from hostmuster.engine.catalogue import compile_fleet
from hostmuster.errors import InputError
from hostmuster.model.inventory import load_fleet
from hostmuster.resources.chain import Chain
from hostmuster.resources.unit import Unit
from tests.items.project import compiled, fleet, resource

EGRESS: dict[str, Any] = {"allow": ["api.example.net", ".example.org"], "ports": [443, 8443], "users": ["service"]}


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
