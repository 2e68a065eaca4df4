"""Rule sets are loaded for real into an empty network namespace; what loads and is never meant is refused by us."""

from __future__ import annotations

import pytest

from hostmuster.lint import iptables
from hostmuster.lint.linter import Artefact

FIRST = """\
-A HOSTMUSTER-IN -i lo -j ACCEPT
-A HOSTMUSTER-IN -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A HOSTMUSTER-IN -p tcp -m tcp --dport 22 -m comment --comment management -j ACCEPT
"""


def said(rules: str, family: int = 4, chains: str = ":HOSTMUSTER-IN - [0:0]\n") -> list[str]:
    """All that is said of a rule set."""
    artefact = Artefact(f"/etc/v{family}.rules", f"*filter\n{chains}{rules}COMMIT\n".encode())
    return [*iptables.parse([artefact])[artefact], *iptables.traps(artefact)]


def test_a_good_rule_set_passes() -> None:
    assert said(f"{FIRST}-A HOSTMUSTER-IN -j DROP\n") == []
    assert said(f"{FIRST}-A HOSTMUSTER-IN -p ipv6-icmp -j ACCEPT\n-A HOSTMUSTER-IN -j DROP\n", 6) == []


@pytest.mark.parametrize(
    ("rules", "family", "complaint"),
    [
        ("-A HOSTMUSTER-IN -j DOCKER-USER\n", 4, "DOCKER-USER"),
        ("-A HOSTMUSTER-IN -j DOCKER-USER\n", 6, "DOCKER-USER"),
        ("-A HOSTMUSTER-IN -m set --match-set blacklist src -j DROP\n", 4, "blacklist"),
        ("-A HOSTMUSTER-IN -s 10.0.0.0/8 -j ACCEPT\n", 6, "10.0.0.0"),
        ("-A HOSTMUSTER-IN -p icmp -j ACCEPT\n", 6, "write ipv6-icmp"),
        ("-A HOSTMUSTER-IN -p tcp -j REJECT --reject-with icmp-port-unreachable\n", 6, "icmp6-port-unreachable"),
        ("-A INPUT -j HOSTMUSTER-IN\n", 4, "changes a chain that is not ours"),
        ("-F INPUT\n", 4, "changes a chain that is not ours"),
        ("-P INPUT DROP\n", 4, "changes a chain that is not ours"),
        ("-A HOSTMUSTER-IN ! -s 10.0.0.1/32 -j DROP\n", 4, "negations and quotes"),
        ('-A HOSTMUSTER-IN -m comment --comment "a b" -j ACCEPT\n', 4, "negations and quotes"),
        (f"-A HOSTMUSTER-IN -j REJECT\n{FIRST}", 4, "before loopback, established connections, the management port"),
        (f"{FIRST}-A HOSTMUSTER-IN -j DROP\n-A HOSTMUSTER-IN -p udp -j ACCEPT\n", 4, "never matches after"),
        (f"{FIRST}{FIRST}", 4, "is there twice"),
        (f"{FIRST}COMMIT\n*nat\n-A PREROUTING -j NOPE\n", 4, "not the one table filter"),
    ],
)
def test_what_the_kernel_refuses_or_nobody_means_is_named(rules: str, family: int, complaint: str) -> None:
    assert any(complaint in line for line in said(rules, family)), said(rules, family)


@pytest.mark.parametrize("chain", [":INPUT REJECT [0:0]\n", ":INPUT DROP [0:0]\n", ":DOCKER-USER - [0:0]\n"])
def test_a_chain_that_is_not_ours_is_never_declared(chain: str) -> None:
    assert any("is not ours: to declare a chain flushes it" in line for line in said(FIRST, chains=chain))
