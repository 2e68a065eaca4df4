"""What the firewall's effects make of a host's answers."""

from __future__ import annotations

import pytest

from hostmuster.effects.firewall import first, neighbour
from hostmuster.item import Answer


@pytest.mark.parametrize(
    ("output", "ok", "seen"),
    [
        (
            "iptables -A INPUT -j X\niptables rules 5\nip6tables -A INPUT -j X\nip6tables rules 6\n",
            True,
            "5 rules for IPv4, 6 for IPv6",
        ),
        (
            "iptables -A INPUT -j X\niptables rules 5\nip6tables \nip6tables rules 6\n",
            False,
            "first in INPUT is not X but: ip6tables: nothing",
        ),
        (
            "iptables -A INPUT -j X\niptables rules 0\nip6tables -A INPUT -j X\nip6tables rules 6\n",
            False,
            "X: iptables rules 0, declared 5",
        ),
        (
            "iptables -A INPUT -j X\niptables rules 5\nip6tables -A INPUT -j X\nip6tables rules 6\n"
            "other iptables-legacy 3\n",
            False,
            "two sets of tables at once, beside those that iptables uses: iptables-legacy 3 rules",
        ),
    ],
)
def test_a_host_is_judged_by_what_its_kernel_has(output: str, ok: bool, seen: str) -> None:
    judged = first("X", (5, 6)).judge(Answer(0, output))
    assert (judged.ok, judged.seen) == (ok, seen)


@pytest.mark.parametrize(
    ("output", "ok", "seen"),
    [
        ("22 0.000312 1\n1 0.000000 28\n", True, "b: 22 open, 1 closed"),
        ("22 0.000000 28\n1 0.000000 28\n", False, "port 22 of b does not open"),
        ("22 0.000312 1\n1 0.000000 7\n", False, "port 1 of b answers, but is not allowed"),
        ("22 0.000312 1\n1 0.000200 52\n", False, "port 1 of b answers, but is not allowed"),
        ("sh: curl: not found\n", False, "sh: curl: not found"),
    ],
)
def test_a_neighbour_is_judged_by_what_connects(output: str, ok: bool, seen: str) -> None:
    judged = neighbour("b", "192.0.2.12", 22, 1).judge(Answer(0, output))
    assert (judged.ok, judged.seen) == (ok, seen)
