"""A chain of iptables, against what `iptables -S` prints on Debian 12 and 13."""

from __future__ import annotations

import pytest

from hostmuster.egress.way import CHAIN, rules
from hostmuster.resources.chain import Chain
from hostmuster.resources.rule import meaning
from hostmuster.resources.step import Run
from tests.unit.resources.seen import found, seen

USERS, DIRECT = ("svc",), ("10.0.0.7/32", "10.1.0.0/24", "fd00:1::/64")
SVC = "svc:x:1000:1000::/home/svc:/bin/sh"
V4 = f"""\
4 -P OUTPUT ACCEPT
4 -A OUTPUT -j {CHAIN}
4 -N {CHAIN}
4 -A {CHAIN} -o lo -j RETURN
4 -A {CHAIN} -p tcp -m tcp ! --tcp-flags FIN,SYN,RST,ACK SYN -j RETURN
4 -A {CHAIN} -d 10.0.0.7/32 -j RETURN
4 -A {CHAIN} -d 10.1.0.0/24 -j RETURN
4 -A {CHAIN} -p tcp -m owner --uid-owner 1000 -j REJECT --reject-with tcp-reset
4 -A {CHAIN} -m owner --uid-owner 1000 -j REJECT --reject-with icmp-admin-prohibited
"""
V6 = f"""\
6 -P OUTPUT ACCEPT
6 -A OUTPUT -j {CHAIN}
6 -N {CHAIN}
6 -A {CHAIN} -o lo -j RETURN
6 -A {CHAIN} -p tcp -m tcp ! --tcp-flags FIN,SYN,RST,ACK SYN -j RETURN
6 -A {CHAIN} -d fd00:1::/64 -j RETURN
6 -A {CHAIN} -p tcp -m owner --uid-owner 1000 -j REJECT --reject-with tcp-reset
6 -A {CHAIN} -m owner --uid-owner 1000 -j REJECT --reject-with icmp6-adm-prohibited
"""


def chain() -> Chain:
    """As the item declares it."""
    return Chain(CHAIN, rules(USERS, DIRECT, 4), rules(USERS, DIRECT, 6), USERS, "/etc/load")


def differences(printed: str, user: str = SVC) -> dict[str, tuple[str, str]]:
    """Aspect to (have, want)."""
    return found(chain(), chain=printed, user=user)


def test_the_chain_as_iptables_prints_it_is_as_declared() -> None:
    assert differences(V4 + V6) == {}


def test_the_same_rule_in_other_words_is_no_difference() -> None:
    other = V4.replace(
        "-p tcp -m owner --uid-owner 1000", "-m comment --comment 'ours, \"so\"' -m owner --uid-owner 1000 -p tcp"
    )
    assert differences(other.replace("10.0.0.7/32", "10.0.0.7") + V6) == {}


def test_a_host_without_ipv6_has_nothing_to_close_there() -> None:
    assert differences(V4 + "6 none\n") == {}


def test_a_host_without_iptables_lacks_everything() -> None:
    assert set(differences("")) == {"IPv4 chain", "IPv4 jump", "IPv6 chain", "IPv6 jump"}


def test_a_flushed_chain_is_named_and_nothing_else() -> None:
    flushed = "".join(line for line in V4.splitlines(keepends=True) if not line.startswith(f"4 -A {CHAIN}"))
    assert differences(flushed + V6) == {"IPv4 rules": ("none", "6 rules")}


def test_the_first_rule_that_differs_is_named() -> None:
    open_again = V6.replace("1000 -j REJECT --reject-with icmp6-adm-prohibited", "1000 -j RETURN")
    (have, want) = differences(V4 + open_again)["IPv6 rule 5"]
    assert have == "`-m owner --uid-owner 1000 -j RETURN`"
    assert want.endswith("--reject-with icmp6-adm-prohibited`")


def test_order_and_repetition_of_rules_count() -> None:
    lines = V4.splitlines()
    turned = "\n".join([*lines[:3], lines[7], *lines[3:7], lines[8], ""])
    assert "IPv4 rule 1" in differences(turned + V6)
    assert differences(f"{V4}{lines[-1]}\n{V6}") == {"IPv4 rules": ("7 of them", "6")}


@pytest.mark.parametrize(
    ("jumps", "have"),
    [
        ("", "missing"),
        (f"4 -A OUTPUT -j {CHAIN}\n" * 2, "there 2 times"),
        (f"4 -A OUTPUT -o eth0 -j {CHAIN}\n", "missing"),
        (f"4 -A OUTPUT -o eth0 -j ACCEPT\n4 -A OUTPUT -j {CHAIN}\n", "behind `-o eth0 -j ACCEPT`"),
    ],
)
def test_a_jump_that_is_missing_doubled_narrowed_or_too_late_is_named(jumps: str, have: str) -> None:
    assert differences(V4.replace(f"4 -A OUTPUT -j {CHAIN}\n", jumps) + V6)["IPv4 jump"][0] == have


def test_a_jump_behind_our_own_other_chains_is_well_placed() -> None:
    first = f"4 -A OUTPUT -j HOSTMUSTER-OUT\n4 -A OUTPUT -j {CHAIN}\n"
    assert differences(V4.replace(f"4 -A OUTPUT -j {CHAIN}\n", first) + V6) == {}


def test_a_user_with_another_number_is_a_difference_and_one_who_is_gone_is_named() -> None:
    assert "IPv4 rule 5" in differences(V4 + V6, "svc:x:1001:1001::/home/svc:/bin/sh")
    assert differences(V4 + V6, "")["user"] == ("no user svc", "one of this host's")


def test_other_chains_are_not_looked_at() -> None:
    foreign = "4 -A DOCKER-USER -j RETURN\n4 -N f2b-sshd\n4 -A OUTPUT -o eth0 -j f2b-sshd\n"
    assert differences(V4 + foreign + V6) == {}


def test_it_is_loaded_as_a_whole_and_taken_back() -> None:
    (step,) = chain().steps(seen(chain()))
    assert isinstance(step, Run)
    assert step.argv == ("/etc/load",)
    assert step.undo[-2:] == ("/etc/load", CHAIN)


def test_negation_is_part_of_the_meaning() -> None:
    assert meaning("! -o lo -j RETURN", {}) != meaning("-o lo -j RETURN", {})
    assert meaning("-p tcp ! --syn -j X", {}) != meaning("-p tcp --syn -j X", {})
