"""The firewall item: one policy rendered for both families, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deploys.items.firewall import ITEM
from hostmuster.errors import InputError
from tests.items.project import compiled, fleet, resource

ALWAYS = {
    4: [
        "-i lo -j ACCEPT",
        "-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT",
        "-p tcp -m tcp --dport 22 -m comment --comment management -j ACCEPT",
        "-p icmp -j ACCEPT",
    ],
    6: [
        "-i lo -j ACCEPT",
        "-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT",
        "-p tcp -m tcp --dport 22 -m comment --comment management -j ACCEPT",
        "-p ipv6-icmp -j ACCEPT",
        "-s fe80::/10 -p udp -m udp --dport 546 -j ACCEPT",
    ],
}
WEB = "-p tcp -m tcp --dport 443 -m comment --comment web -j ACCEPT"


def rule(*sources: str, name: str = "web", ports: tuple[object, ...] = (443,), **more: object) -> dict[str, object]:
    """A rule as the fleet file has it."""
    return {"name": name, "ports": [*ports], "from": [*sources], **more}


def rules(folder: Path, policy: Mapping[str, Any], family: int, chain: str = "HOSTMUSTER-IN") -> list[str]:
    """The rules of one chain on server-1."""
    text = resource(
        compiled(folder, "firewall", {"firewall": policy}), f"file /etc/hostmuster/firewall/v{family}.rules"
    )
    start = f"-A {chain} "
    return [line.removeprefix(start) for line in text.content.decode().splitlines() if line.startswith(start)]


@pytest.mark.parametrize("family", [4, 6])
def test_loopback_established_and_management_come_first_and_all_else_is_dropped(tmp_path: Path, family: int) -> None:
    assert rules(tmp_path, {"default": "drop"}, family) == [*ALWAYS[family], "-j DROP"]


@pytest.mark.parametrize(
    ("policy", "v4", "v6"),
    [
        ({"allow": [rule("anywhere")]}, [WEB], [WEB]),
        ({"allow": [rule("10.0.0.0/8")]}, [f"-s 10.0.0.0/8 {WEB}"], []),
        ({"allow": [rule("2001:db8::/32")]}, [], [f"-s 2001:db8::/32 {WEB}"]),
        ({"allow": [rule("worker")]}, [f"-s 192.0.2.12/32 {WEB}"], []),
        ({"allow": [rule("worker", "192.0.2.12")]}, [f"-s 192.0.2.12/32 {WEB}"], []),
        ({"allow": [rule("server-1")]}, [f"-s 192.0.2.11/32 {WEB}"], []),
        (
            {"allow": [rule("anywhere", ports=("6000-6010",), protocol="udp", name="rtp")]},
            ["-p udp -m udp --dport 6000:6010 -m comment --comment rtp -j ACCEPT"],
            ["-p udp -m udp --dport 6000:6010 -m comment --comment rtp -j ACCEPT"],
        ),
        ({"vip_peers": ["worker"]}, ["-s 192.0.2.12/32 -p 112 -m comment --comment vip-peer -j ACCEPT"], []),
        (
            {"vip_peers": ["fe80::/10"]},
            [],
            ["-s fe80::/10 -p 112 -m comment --comment vip-peer -j ACCEPT"],
        ),
        ({"published": [rule("anywhere")]}, [], [WEB]),
    ],
)
def test_a_policy_is_rendered_for_each_family(
    tmp_path: Path, policy: Mapping[str, Any], v4: list[str], v6: list[str]
) -> None:
    assert rules(tmp_path, policy, 4) == [*ALWAYS[4], *v4, "-j DROP"]
    assert rules(tmp_path, policy, 6) == [*ALWAYS[6], *v6, "-j DROP"]


def test_rules_keep_the_order_of_the_fleet_file(tmp_path: Path) -> None:
    policy = {"allow": [rule("anywhere", name="b", ports=(2, 1)), rule("anywhere", name="a", ports=(3,))]}
    ports = [line.split()[5] for line in rules(tmp_path, policy, 4)[len(ALWAYS[4]) : -1]]
    assert ports == ["2", "1", "3"]


def test_a_published_port_is_known_by_the_port_that_the_client_asked_for(tmp_path: Path) -> None:
    policy = {"published": [rule("192.0.2.0/24", name="shop", ports=(8080,))]}
    assert rules(tmp_path, policy, 4, "HOSTMUSTER-DOCKER") == [
        "-m conntrack --ctstate RELATED,ESTABLISHED -j RETURN",
        "-s 192.0.2.0/24 -p tcp -m conntrack --ctorigdstport 8080 --ctdir ORIGINAL -m comment --comment shop -j RETURN",
        "-m conntrack --ctstate DNAT -j DROP",
    ]


def test_docker_is_hooked_where_each_family_has_its_place(tmp_path: Path) -> None:
    part = compiled(tmp_path, "firewall", {"firewall": {"published": []}})
    four, six = (resource(part, f"file /etc/hostmuster/firewall/v{n}.rules").content.decode() for n in (4, 6))
    assert "# jump DOCKER-USER HOSTMUSTER-DOCKER\n" in four
    assert "# jump FORWARD HOSTMUSTER-DOCKER\n" in six
    drop_in = resource(part, "file /etc/systemd/system/docker.service.d/hostmuster-firewall.conf")
    assert b"ExecStartPost=-/etc/hostmuster/firewall/load /etc/hostmuster/firewall\n" in drop_in.content


def test_without_published_ports_dockers_forwarding_is_left_alone(tmp_path: Path) -> None:
    part = compiled(tmp_path, "firewall", {"firewall": {"allow": []}})
    assert not any("docker" in one.id for one in part.resources)
    assert rules(tmp_path, {"allow": []}, 4, "HOSTMUSTER-DOCKER") == []


def test_a_host_without_settings_is_not_asked_anything(tmp_path: Path) -> None:
    hosts = fleet(tmp_path, {}, worker_1={"firewall": {"allow": []}}).hosts
    assert [ITEM.applies_to(host) for host in hosts.values()] == [False, True]


def test_only_rules_are_armed_and_they_come_last(tmp_path: Path) -> None:
    part = compiled(tmp_path, "firewall", {"firewall": {"allow": []}})
    assert [one.id.rpartition("/")[2] for one in part.resources if one.risky] == [
        "v4.rules",
        "v6.rules",
        "rules firewall",
    ]


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ({"allow": [rule("0.0.0.0/0")]}, "everybody of one family only"),
        ({"allow": [rule("::/0")]}, "everybody of one family only"),
        ({"allow": [rule("!10.0.0.0/8")]}, "excludes a source"),
        ({"allow": [rule("10.0.0.1/8")]}, "bits beyond its prefix"),
        ({"allow": [rule("Office")]}, "is no source"),
        ({"allow": [rule("anywhere", name='a "b"')]}, "is no rule's name"),
        ({"allow": [rule("anywhere", ports=(0,))]}, "is no port"),
        ({"allow": [rule("anywhere", ports=("9-8",))]}, "is no port"),
        ({"allow": [rule("anywhere", ports=(65536,))]}, "is no port"),
        ({"allow": [rule("anywhere", protocol="icmp")]}, "icmp"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, policy: Mapping[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        fleet(tmp_path, {"firewall": policy})
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ({"allow": [rule("nobody")]}, "`nobody` is no host and no role"),
        ({"allow": [rule("anywhere"), rule("anywhere", name="again")]}, "allow has `tcp 443` twice"),
        (
            {"allow": [rule("worker"), rule("192.0.2.12", name="again")]},
            "allow has `-s 192.0.2.12/32 tcp 443` twice",
        ),
        ({"default": "accept", "allow": [rule("10.0.0.0/8")]}, "default accepts everybody"),
        ({"management_from": ["2001:db8::1"]}, "before the management port: it would lock us out"),
    ],
)
def test_a_policy_that_contradicts_itself_does_not_compile(
    tmp_path: Path, policy: Mapping[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        compiled(tmp_path, "firewall", {"firewall": policy})
    assert said in str(caught.value)
