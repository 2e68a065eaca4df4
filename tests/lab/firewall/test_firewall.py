"""What comes in and what does not; drift by hand; rules of others; a reboot; a rule set that locks the operator out."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.lab.firewall.conftest import CLOSED, FOR_WORKERS, OPEN, POLICY, Walled
from tests.lab.pair import HOSTS, NEW, OLD

WRONG_SOURCE = {"management_from": ["192.0.2.99"]}
WRONG_PORT = {"management_port": 2222}
DRIFTS = (
    {
        "iptables -F HOSTMUSTER-IN": "IPv4 HOSTMUSTER-IN is without",
        "ip6tables -D INPUT -j HOSTMUSTER-IN": "IPv6 jumps is FORWARD to HOSTMUSTER-DOCKER",
        "ip6tables -I HOSTMUSTER-IN -p tcp --dport 8081 -j ACCEPT": "HOSTMUSTER-IN is with `-p tcp -m tcp --dport 8081",
    },
    {
        "ip6tables -I INPUT -p tcp --dport 9 -j ACCEPT": "INPUT to behind others: HOSTMUSTER-IN",
        "iptables -A INPUT -j HOSTMUSTER-IN": "INPUT to HOSTMUSTER-IN, HOSTMUSTER-IN",
        "iptables -D DOCKER-USER -j HOSTMUSTER-DOCKER; iptables -F HOSTMUSTER-DOCKER; iptables -X HOSTMUSTER-DOCKER": (
            "IPv4 HOSTMUSTER-DOCKER is missing"
        ),
    },
)
OTHERS = """\
for ipt in iptables ip6tables; do
    $ipt -N f2b-sshd; $ipt -A f2b-sshd -j RETURN; $ipt -I INPUT -p tcp -m multiport --dports 22 -j f2b-sshd
    $ipt -N DOCKER; $ipt -A DOCKER -p tcp --dport 80 -j ACCEPT
    $ipt -A FORWARD -o docker0 -j DOCKER; $ipt -P FORWARD DROP
    $ipt -A INPUT -p tcp --dport 7 -m comment --comment "somebody's \\"own\\" rule" ! -s ::/0 -j ACCEPT 2>/dev/null
    $ipt -A INPUT -p tcp --dport 7 -m comment --comment "somebody's own rule" -j ACCEPT
done"""


def test_what_is_allowed_comes_in_and_nothing_else_over_both_families(walled: Walled) -> None:
    for host, other in ((OLD, NEW), (NEW, OLD)):
        assert walled.reaches(host, other, OPEN) == (True, True)
        assert walled.reaches(host, other, CLOSED) == (False, False)
        assert walled.reaches(host, other, FOR_WORKERS) == (host == NEW, False)
        assert walled.on(host, "ping -c 1 -W 2 -q 127.0.0.1 && ping -c 1 -W 2 -q ::1")


def test_the_second_apply_changes_nothing_and_effects_hold(walled: Walled) -> None:
    before = [walled.rules(host) for host in HOSTS]
    done = walled.apply()
    assert [done.statuses(host) for host in HOSTS] == [{"firewall": "ok"}] * 2
    assert [walled.rules(host) for host in HOSTS] == before
    done = walled.run("verify", "--deep")
    assert done.exit == 0, done.errors
    assert len(done.item(OLD, "firewall")["effects"]) == 2


@pytest.mark.parametrize("drifts", DRIFTS, ids=["chains", "jumps"])
def test_drift_by_hand_is_found_and_mended(walled: Walled, drifts: Mapping[str, str]) -> None:
    before = [walled.rules(host) for host in HOSTS]
    for host in HOSTS:
        walled.on(host, "\n".join(drifts))
    check = walled.run("check")
    assert check.exit == 2
    for host in HOSTS:
        said = check.item(host, "firewall")["differences"]
        assert [seen for seen in drifts.values() if not any(seen in one for one in said)] == []
    walled.apply()
    for host in HOSTS:
        walled.on(host, "ip6tables -D INPUT -p tcp --dport 9 -j ACCEPT 2>/dev/null; true")
    assert [walled.rules(host) for host in HOSTS] == before


def test_a_chain_that_somebody_flushed_is_named_by_verify(walled: Walled) -> None:
    walled.on(NEW, "ip6tables -F HOSTMUSTER-IN")
    done = walled.run("verify")
    assert done.exit == 1
    assert "HOSTMUSTER-IN: ip6tables rules 0" in done.item(NEW, "firewall")["reason"]
    assert done.statuses(OLD) == {"firewall": "ok"}


def test_rules_of_others_stay_as_they_are(walled: Walled) -> None:
    for host in HOSTS:
        walled.on(host, OTHERS)
    before = [walled.foreign(host) for host in HOSTS]
    for policy in ({"allow": POLICY["allow"]}, POLICY):
        walled.policy = policy
        walled.apply()
        assert [walled.foreign(host) for host in HOSTS] == before
    check = walled.run("check")
    assert check.exit == 0, check.errors
    for host in HOSTS:
        first, second = walled.on(host, "iptables -S INPUT | grep -v ^-P | head -n 2").splitlines()
        assert first.endswith("-j f2b-sshd")
        assert second == "-A INPUT -j HOSTMUSTER-IN"


def test_rules_are_there_before_the_network_after_a_power_loss(walled: Walled) -> None:
    for host in HOSTS:
        walled.lab.kill(host)
    for host in HOSTS:
        walled.lab.start(host)
        assert "-A INPUT -j HOSTMUSTER-IN" in walled.rules(host)
        show = "systemctl show -p {} --value {}"
        loaded = int(walled.on(host, show.format("ActiveEnterTimestampMonotonic", "hostmuster-firewall")))
        network = int(walled.on(host, show.format("ExecMainStartTimestampMonotonic", "systemd-networkd")))
        assert 0 < loaded < network
    check = walled.run("check")
    assert check.exit == 0, check.errors


def test_a_rule_set_that_cannot_be_read_at_boot_gives_way_to_one_for_operators(walled: Walled) -> None:
    walled.on(OLD, "echo spoiled >/etc/hostmuster/firewall/v4.rules; sync")
    walled.lab.kill(OLD)
    walled.lab.start(OLD)
    assert "--comment web" not in walled.on(OLD, "iptables-save")
    assert walled.on(OLD, "systemctl show -p Result --value hostmuster-firewall") == "exit-code\n"
    walled.apply()
    assert "--comment web" in walled.on(OLD, "iptables-save")


def test_a_rule_set_that_locks_us_out_comes_back_by_itself(walled: Walled) -> None:
    before = [walled.rules(host) for host in HOSTS]
    walled.project.host_settings = {OLD: {"firewall": WRONG_SOURCE}, NEW: {"firewall": WRONG_PORT}}
    done = walled.run("apply")
    assert done.exit == 1
    for host in HOSTS:
        # A connection that waited for an answer may get in once the rules are back: too late to confirm anything.
        said = done.document["hosts"][host]
        assert "taken back" in said.get("error", said["items"]["firewall"].get("reason"))
        walled.wait_until(host, "! [ -e /var/lib/hostmuster/change ]")
    assert [walled.rules(host) for host in HOSTS] == before
    walled.project.host_settings = {}
    check = walled.run("check")
    assert check.exit == 0, check.errors


def test_a_lockout_comes_back_over_a_power_loss_before_the_confirmation(walled: Walled) -> None:
    before = [walled.rules(host) for host in HOSTS]
    walled.policy = {**POLICY, **WRONG_SOURCE}
    walled.project.extra = {"confirm_s": 600}
    assert walled.run("apply").exit == 1
    for host in HOSTS:
        assert "192.0.2.99" in walled.rules(host)
        walled.lab.kill(host)
        walled.lab.start(host)
        assert "192.0.2.99" not in walled.rules(host)
    chains = [[line for line in rules.splitlines() if line.startswith("-A HOSTMUSTER-")] for rules in before]
    for host, chain in zip(HOSTS, chains, strict=True):
        assert [line for line in walled.rules(host).splitlines() if line.startswith("-A HOSTMUSTER-")] == chain
    walled.policy = POLICY
    check = walled.run("check")
    assert check.exit == 0, check.errors
