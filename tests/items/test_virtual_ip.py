"""The virtual IP: what its hosts are told, and what is refused before one is touched."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deploys.checklist import CHECKLIST
from hostmuster.engine.catalogue import compile_fleet
from hostmuster.engine.lint import lint
from hostmuster.errors import InputError
from hostmuster.model.fleet import Fleet
from hostmuster.resources.file import File
from hostmuster.vip.membership import router
from tests.items.ingress_fleet import NAMES, V6, fleet

CONFIG = "/etc/keepalived/keepalived.conf"


def files(loaded: Fleet, host: str, item: str = "virtual_ip") -> dict[str, File]:
    """A host's files of an item."""
    (part,) = compile_fleet(loaded, CHECKLIST, only=item).hosts[host]
    return {one.path: one for one in part.resources if isinstance(one, File)}


def config(loaded: Fleet, host: str) -> list[str]:
    """The lines of keepalived.conf that say something."""
    text = files(loaded, host)[CONFIG].content.decode()
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


def block(lines: list[str], word: str) -> list[str]:
    """What stands in each block of that name, without the braces."""
    starts = [at for at, line in enumerate(lines) if line == f"{word} {{"]
    return [line for at in starts for line in lines[at + 1 : lines.index("}", at)]]


def test_peers_are_all_the_others_and_never_the_host_itself(tmp_path: Path) -> None:
    loaded = fleet(tmp_path, NAMES)
    for host in NAMES:
        others = [name for name in NAMES if name != host]
        addresses = [loaded.hosts[name].address for name in others] + [V6[name] for name in others]
        assert block(config(loaded, host), "unicast_peer") == addresses


def test_an_added_host_changes_nobodys_priority(tmp_path: Path) -> None:
    before = {name: router(fleet(tmp_path).hosts[name]).own.priority for name in NAMES[:2]}
    after = {name: router(fleet(tmp_path, NAMES).hosts[name]).own.priority for name in NAMES}
    assert before == {name: after[name] for name in before}
    assert sorted(after.values(), reverse=True) == list(after.values())
    assert len(set(after.values())) == len(NAMES)


def test_a_failing_check_gives_the_addresses_away_and_nobody_preempts(tmp_path: Path) -> None:
    said = config(fleet(tmp_path), "ingress-1")
    assert said.count("nopreempt") == said.count("state BACKUP") == said.count("track_script {") == 2
    assert not [line for line in said if line.startswith("weight")]
    assert "enable_script_security" in said
    assert "script_user vip-check" in said
    assert "advert_int 0.1" in said


def test_both_families_move_together(tmp_path: Path) -> None:
    assert block(config(fleet(tmp_path), "ingress-1"), "group") == ["v4", "v6"]
    alone = config(fleet(tmp_path, addresses=["192.0.2.100/24"], v6={}), "ingress-1")
    assert not [line for line in alone if line.startswith(("vrrp_sync_group", "vrrp_instance v6"))]


def test_keepalived_itself_and_our_rules_take_what_all_hosts_get(tmp_path: Path) -> None:
    loaded = fleet(tmp_path, NAMES)
    declared = [(host, "virtual_ip", file) for host in NAMES for file in files(loaded, host).values()]
    assert list(lint(declared)) == []


def test_an_ingress_host_alone_has_no_peers_to_name(tmp_path: Path) -> None:
    said = config(fleet(tmp_path, NAMES[:1]), "ingress-1")
    assert not [line for line in said if line.startswith("unicast")]


def test_a_server_gets_nothing_of_it(tmp_path: Path) -> None:
    assert compile_fleet(fleet(tmp_path), CHECKLIST, only="virtual_ip").hosts["server-1"] == ()


@pytest.mark.parametrize(("host", "peers"), [("ingress-1", ("192.0.2.2/32", f"{V6['ingress-2']}/128"))])
def test_the_firewall_takes_vrrp_from_the_peers_alone(tmp_path: Path, host: str, peers: tuple[str, str]) -> None:
    loaded = fleet(tmp_path)
    for family, peer in zip((4, 6), peers, strict=True):
        text = files(loaded, host, "firewall")[f"/etc/hostmuster/firewall/v{family}.rules"].content.decode()
        assert [line for line in text.splitlines() if "-p 112" in line] == [
            f"-A HOSTMUSTER-IN -s {peer} -p 112 -m comment --comment vip-peer -j ACCEPT"
        ]
    text = files(loaded, "server-1", "firewall")["/etc/hostmuster/firewall/v4.rules"].content.decode()
    assert "-p 112" not in text


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"addresses": ["192.0.2.100"]}, "has no prefix"),
        ({"addresses": ["2001:db8::100/64"]}, "no IPv4 address is shared"),
        ({"addresses": ["192.0.2.100/24", "192.0.2.100/25"]}, "has one twice"),
        ({"addresses": ["192.0.2.50/24"]}, "is server-1's own address"),
        ({"v6": {"ingress-1": "2001:db8::1"}}, "ingress-2 has none of its own in `v6`"),
        ({"health": "http://192.0.2.1/"}, "is not on this host"),
        ({"health": "http://[2001:db8::1]/"}, "is not on this host"),
        ({"health": "http://127.0.0.1/'; reboot"}, "is no URL"),
        ({"advert_s": 0.01}, "greater than or equal to 0.05"),
        ({"router": 256}, "less than or equal to 255"),
    ],
)
def test_what_could_not_work_is_refused_before_any_host_is_touched(
    tmp_path: Path, more: Mapping[str, Any], says: str
) -> None:
    with pytest.raises(InputError) as refused:
        files(fleet(tmp_path, **more), "ingress-1")
    assert says in str(refused.value)


def test_hosts_that_differ_in_what_they_share_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ingress-1 and ingress-2 share a virtual IP and differ"):
        files(fleet(tmp_path, own={"advert_s": 1}), "ingress-1")
