"""The virtual IP: what its hosts are told, what is refused before one is touched, what its effects make of answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploys.checklist import CHECKLIST
from hostmuster.effects.virtual_ip import one_owner, together
from hostmuster.engine.catalogue import compile_fleet
from hostmuster.engine.lint import lint
from hostmuster.errors import InputError
from hostmuster.item import Answer, Seen
from hostmuster.model.fleet import Fleet, load_fleet
from hostmuster.project import Project
from hostmuster.resources.file import File
from hostmuster.vip.membership import router
from tests.items.project import PUBLIC, REPOSITORY

NAMES = ("ingress-1", "ingress-2", "ingress-3")
V6 = {name: f"2001:db8::{at}" for at, name in enumerate(NAMES, 1)}
DECLARED: Mapping[str, Any] = {
    "interface": "eth0",
    "addresses": ["192.0.2.100/24", "2001:db8::100/64"],
    "v6": V6,
    "health": "http://127.0.0.1/",
}
CONFIG = "/etc/keepalived/keepalived.conf"


def fleet(folder: Path, names: tuple[str, ...] = NAMES[:2], own: Mapping[str, Any] | None = None, **more: Any) -> Fleet:
    """A fleet of ingress hosts behind a server; `own`: what the last of them declares for itself alone."""
    (folder / "inventory").mkdir(exist_ok=True)
    if not (folder / "templates").exists():
        (folder / "templates").symlink_to(REPOSITORY / "templates")
    hosts: dict[str, Any] = {"server-1": {"address": "192.0.2.50", "debian": 12, "roles": ["server"]}}
    for at, name in enumerate(names, 1):
        hosts[name] = {"address": f"192.0.2.{at}", "debian": 12, "roles": ["ingress"]}
    hosts[names[-1]]["settings"] = {"virtual_ip": dict(own)} if own else {}
    body = {
        "fleet": "unit",
        "lab": False,
        "settings": {"clock": {"servers": ["192.0.2.1"]}, "firewall": {}},
        "roles": {"server": {}, "ingress": {"settings": {"virtual_ip": {**DECLARED, **more}}}},
        "hosts": hosts,
    }
    (folder / "inventory" / "unit.yml").write_text(yaml.safe_dump(body, sort_keys=False))
    schemas = {module.ITEM.name: module.ITEM.settings for module in CHECKLIST}
    return load_fleet(Project(folder), "unit", schemas, public=PUBLIC)


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


OWN, PEER, THIRD = "52:00:00:00:00:01", "52:00:00:00:00:02", "52:00:00:00:00:03"


@pytest.mark.parametrize(
    ("lines", "ok", "says"),
    [
        (("here 192.0.2.100", "here 2001:db8::100"), True, "owned by ingress-1"),
        (
            (f"found 192.0.2.100 {PEER}", f"heard 192.0.2.100 {PEER}", f"found 2001:db8::100 {PEER}"),
            True,
            "owned by ingress-2",
        ),
        (
            ("here 192.0.2.100", f"heard 192.0.2.100 {PEER}", "here 2001:db8::100"),
            False,
            "192.0.2.100 is held by ingress-1 and ingress-2: a split brain",
        ),
        (
            (f"found 192.0.2.100 {PEER}", f"heard 192.0.2.100 {PEER}", f"heard 192.0.2.100 {THIRD}"),
            False,
            f"192.0.2.100 is held by ingress-2 and {THIRD}: a split brain",
        ),
        (
            (f"found 192.0.2.100 {THIRD}", f"heard 192.0.2.100 {PEER}"),
            False,
            f"192.0.2.100 is ingress-2's, but packets go to {THIRD}",
        ),
        (("found 192.0.2.100",), False, "nobody answers for 192.0.2.100"),
        (
            ("here 192.0.2.100", f"found 2001:db8::100 {PEER}"),
            False,
            "192.0.2.100 at ingress-1, 2001:db8::100 at ingress-2",
        ),
        (
            (f"found 192.0.2.100 {THIRD}", f"heard 192.0.2.100 {THIRD}", f"found 2001:db8::100 {THIRD}"),
            False,
            f"owned by {THIRD}, which is none of the hosts that share them",
        ),
    ],
)
def test_who_owns_them_is_read_off_the_wire(tmp_path: Path, lines: tuple[str, ...], ok: bool, says: str) -> None:
    effect = one_owner(router(fleet(tmp_path).hosts["ingress-1"]))
    answer = Answer(0, "\n".join((f"host ingress-2 {PEER}", *lines)))
    assert effect.judge(answer) == Seen(ok, says)


def test_an_owner_that_does_not_hear_the_others_says_so(tmp_path: Path) -> None:
    effect = one_owner(router(fleet(tmp_path).hosts["ingress-1"]))
    here = ["here 192.0.2.100", "here 2001:db8::100"]
    assert effect.judge(Answer(0, "\n".join(["host ingress-2", *here]))) == Seen(
        False, "owned by ingress-1, which does not hear ingress-2: they may own them, too"
    )


def test_half_of_the_addresses_is_named(tmp_path: Path) -> None:
    effect = together(router(fleet(tmp_path).hosts["ingress-1"]).want)
    line = "2: eth0    inet 192.0.2.100/24 scope global eth0"
    assert effect.judge(Answer(0, line)) == Seen(False, "has 192.0.2.100 without 2001:db8::100")
