"""The network: who still reaches whom when a host, or two hosts, are cut off."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine

ONE, TWO, NEW = "server-1", "worker-1", "worker-2"


def reaches(lab: Lab, one: str, other: str) -> bool:
    """Whether a packet goes there and back, if not at once: a failed look-up of the neighbour takes seconds."""
    return lab.run(one, patiently(ping(lab.hosts[other].machine.address))).ok


def patiently(command: str) -> str:
    """The command, given five tries."""
    return f"for n in 1 2 3 4 5; do {command} && exit 0; sleep 0.2; done; exit 1"


def is_cut_from(lab: Lab, one: str, other: str) -> bool:
    """Whether a packet is lost."""
    return not lab.run(one, ping(lab.hosts[other].machine.address)).ok


def ping(address: str) -> str:
    """The command that sends one packet and waits a second."""
    return f"ping -q -c1 -W1 {address}"


def machine_reaches(lab: Lab, name: str) -> bool:
    """Whether this machine gets a connection to the host's sshd."""
    try:
        socket.create_connection((lab.hosts[name].machine.address, 22), timeout=1).close()
    except OSError:
        return False
    return True


def test_a_cut_host_is_reached_by_nobody_and_keeps_its_addresses(lab: Lab) -> None:
    lab.cut(ONE)
    assert lab.hosts[ONE].state == "cut"
    assert is_cut_from(lab, TWO, ONE)
    assert is_cut_from(lab, ONE, TWO)
    assert not machine_reaches(lab, ONE)
    assert reaches(lab, TWO, NEW)
    assert lab.hosts[ONE].machine.address in lab.run(ONE, "ip -4 addr show host0").stdout
    lab.heal(ONE)
    assert reaches(lab, TWO, ONE)
    assert machine_reaches(lab, ONE)


def test_a_cut_between_two_hosts_cuts_only_those_two(lab: Lab) -> None:
    lab.cut(ONE, peer=TWO)
    assert is_cut_from(lab, ONE, TWO)
    assert is_cut_from(lab, TWO, ONE)
    assert reaches(lab, ONE, NEW)
    assert reaches(lab, TWO, NEW)
    assert machine_reaches(lab, ONE)
    assert machine_reaches(lab, TWO)
    lab.heal(TWO)
    assert reaches(lab, ONE, TWO)


def test_two_cuts_between_hosts_are_healed_one_host_at_a_time(lab: Lab) -> None:
    lab.cut(ONE, peer=TWO)
    lab.cut(NEW, peer=TWO)
    lab.cut(NEW, peer=TWO)
    lab.heal(ONE)
    assert reaches(lab, ONE, TWO)
    assert is_cut_from(lab, NEW, TWO)
    lab.heal(NEW)
    assert reaches(lab, NEW, TWO)


def test_a_cut_outlives_a_power_loss(lab: Lab) -> None:
    lab.cut(ONE)
    lab.cut(TWO, peer=NEW)
    for name in (ONE, TWO):
        lab.kill(name)
        lab.start(name)
    assert is_cut_from(lab, TWO, ONE)
    assert is_cut_from(lab, TWO, NEW)
    for name in (ONE, TWO):
        lab.heal(name)
    assert reaches(lab, TWO, ONE)
    assert reaches(lab, TWO, NEW)


def test_a_host_that_booted_cut_off_can_be_cut_from_one_peer_too(lab: Lab) -> None:
    lab.cut(ONE)
    lab.kill(ONE)
    lab.start(ONE)
    lab.heal(ONE)
    lab.cut(ONE, peer=TWO)
    assert is_cut_from(lab, ONE, TWO)
    assert reaches(lab, ONE, NEW)


def test_hosts_reach_each_other_over_ipv6(lab: Lab) -> None:
    assert lab.run(ONE, patiently(ping(lab.subnet.v6_at(12)))).ok


def test_hosts_reach_nothing_outside_the_lab(lab: Lab) -> None:
    assert lab.run(ONE, "ip route show default").stdout == ""
    assert not lab.run(ONE, "ping -q -c1 -W1 192.0.2.2").ok


def test_two_labs_side_by_side_do_not_touch_each_other(lab: Lab) -> None:
    with Lab.up(lambda net: [Machine(ONE, net.at(11))], name=f"test-{os.getpid()}-other") as other:
        assert other.subnet != lab.subnet
        assert not lab.run(TWO, f"ping -q -c1 -W1 {other.hosts[ONE].machine.address}").ok
        other.kill(ONE)
        assert reaches(lab, TWO, ONE)
    assert reaches(lab, TWO, ONE)


def test_bridged_packets_do_not_pass_the_machines_own_firewall(lab: Lab) -> None:
    seen = lab.switch.inside("cat", "/proc/sys/net/bridge/bridge-nf-call-iptables")
    assert lab.switch.namespace.readlink() != Path("/proc/self/ns/net").readlink()
    assert seen.strip() == "0"
    assert not Path("/sys/class/net/br0").exists()
