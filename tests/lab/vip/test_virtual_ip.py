"""One host owns the shared addresses: its keepalived killed, its proxy dead, its network restarted."""

from __future__ import annotations

from tests.lab.fleet_on_lab import Finished
from tests.lab.vip.shared import BOTH, ONE, TWO, Shared


def effects(done: Finished, host: str) -> dict[str, tuple[bool, str]]:
    """The item's effects, whether each holds, and what was seen."""
    return {one["name"]: (one["ok"], one["seen"]) for one in done.item(host, "virtual_ip")["effects"]}


def other(host: str) -> str:
    """The one that is not this."""
    return TWO if host == ONE else ONE


def test_one_host_owns_them_and_the_proof_says_who(shared: Shared) -> None:
    owner = shared.owner()
    done = shared.fleet.run("verify", "--deep")
    assert done.exit == 0, done.errors
    for host in BOTH:
        seen = effects(done, host)
        assert seen["the shared addresses have one owner"] == (True, f"owned by {owner}")
        assert seen["keepalived is in no fault"][0]
        assert seen["the shared addresses are together"] == (True, "owns them" if host == owner else "is a spare")
    assert shared.mac(owner) in shared.neighbour_sees(other(owner), shared.v4)
    assert shared.mac(owner) in shared.neighbour_sees(other(owner), shared.v6)


def test_a_second_apply_finds_nothing_to_do(shared: Shared) -> None:
    done = shared.fleet.run("check")
    assert done.exit == 0, done.errors


def test_only_the_peers_may_send_vrrp(shared: Shared) -> None:
    net = shared.lab.subnet
    four, six = (
        shared.shell(ONE, f"{program} -S HOSTMUSTER-IN | grep -- '-p \\(112\\|vrrp\\)'")
        for program in ("iptables", "ip6tables")
    )
    assert four.count("\n") == 1 and f"-s {net.at(12)}/32 " in four
    assert six.count("\n") == 1 and f"-s {net.v6_at(12)}/128 " in six


def test_a_proxy_that_answers_no_more_gives_them_away_and_takes_nothing_back(shared: Shared) -> None:
    owner = shared.owner()
    shared.shell(owner, "systemctl stop nginx")
    shared.until(lambda: shared.holders(shared.v4) == shared.holders(shared.v6) == [other(owner)])
    for _ in ("taken out", "started so"):
        ok, said = effects(shared.fleet.run("verify"), owner)["keepalived is in no fault"]
        assert (ok, said.partition(":")[0]) == (False, "in fault, it would not take the addresses over")
        shared.shell(owner, "systemctl restart keepalived")
    shared.shell(owner, "systemctl start nginx")
    shared.until(lambda: "Entering BACKUP" in journal(shared, owner, 3))
    assert shared.owner() == other(owner)
    assert "MASTER" in shared.shell(other(owner), "journalctl -o cat -n 8 -t virtual-ip")


def test_a_keepalived_killed_whole_leaves_nothing_behind(shared: Shared) -> None:
    owner = shared.owner()
    shared.shell(owner, "kill -9 $(pidof keepalived)")
    shared.until(lambda: shared.stands(at=other(owner)))
    assert f"took {shared.v4}/24 off host0" in journal(shared, owner, 30)


def test_the_address_process_alone_killed_leaves_nothing_behind(shared: Shared) -> None:
    owner = shared.owner()
    shared.shell(owner, "kill -9 $(pgrep -P $(systemctl show -p MainPID --value keepalived))")
    shared.until(lambda: shared.stands(at=other(owner)))


def test_a_reload_moves_nothing_and_ends_nothing(shared: Shared) -> None:
    owner = shared.owner()
    which = "pgrep -P $(systemctl show -p MainPID --value keepalived)"
    before = {host: shared.shell(host, which) for host in BOTH}
    for host in BOTH:
        shared.shell(host, "systemctl reload keepalived; sleep 0.5")
        # A limit of real-time CPU time would end it as soon as the host is busy.
        assert "unlimited" in shared.shell(host, f"grep 'realtime timeout' /proc/$({which})/limits")
    assert {host: shared.shell(host, which) for host in BOTH} == before
    assert shared.owner() == owner


def test_a_unit_and_its_configuration_changed_at_once_are_a_restart(shared: Shared) -> None:
    main = "systemctl show -p MainPID --value keepalived"
    before = shared.shell(ONE, main)
    for file in ("/etc/systemd/system/keepalived.service.d/hostmuster.conf", "/etc/keepalived/keepalived.conf"):
        shared.shell(ONE, f"echo '# by hand' >>{file}")
    done = shared.fleet.run("apply")
    assert done.exit == 0, done.errors
    assert shared.shell(ONE, main) != before


def test_addresses_survive_a_restart_of_the_network_on_either_debian(shared: Shared) -> None:
    for host in BOTH:
        shared.move_to(host)
        shared.shell(host, "systemctl restart systemd-networkd")
        shared.until(shared.stands)


def test_addresses_taken_off_by_hand_come_back(shared: Shared) -> None:
    shared.shell(shared.owner(), f"ip address delete {shared.v4}/24 dev host0")
    shared.until(shared.stands)


def journal(shared: Shared, host: str, lines: int) -> str:
    """The last lines of keepalived's."""
    return shared.shell(host, f"journalctl -o cat -n {lines} -u keepalived")


def test_a_bridge_that_passes_a_machines_rules_makes_two_owners_and_is_put_right(shared: Shared) -> None:
    switch = shared.lab.switch
    try:
        for program in ("iptables", "ip6tables"):  # while one family hears the other host, no family moves
            switch.inside("sh", "-c", f"echo 1 >/proc/sys/net/bridge/bridge-nf-call-{program}")
            switch.inside(program, "-P", "FORWARD", "DROP")
        shared.until(lambda: shared.holders(shared.v4) == list(BOTH))
        assert sorted(switch.bridge_filters) == ["ip6tables", "iptables"]
        switch.clear_bridge()
        shared.until(shared.stands)
        assert len(switch.bridge_filters) == 0
    finally:
        for program in ("iptables", "ip6tables"):
            switch.inside(program, "-P", "FORWARD", "ACCEPT")
